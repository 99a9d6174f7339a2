# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DOBJECTS=a.o|b.o -DROOMS=librooms.a -DARCHIVES=libx.a|liby.a -DEXPORTS=lime*|skip* -DOUTPUT=alone.o
#   -DLINKER=... -DOBJCOPY=... -DNM=... -P MakeAlone.cmake
# One object of a drop-in's objects and of what they use of the rooms and then of other libraries, all names but those
# that match EXPORTS made local. Fails if it needs a library that a C program does not link, which no compiler and
# linker would say before that program does.

foreach(list OBJECTS ARCHIVES EXPORTS)
  string(REPLACE "|" ";" ${list} "${${list}}")
endforeach()
set(part ${OUTPUT}.part)
set(whole ${OUTPUT}.whole)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status ERROR_VARIABLE said)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${said}")
  endif()
endfunction()

# The names that are seen from outside; from these on the linker keeps what is used, section by section.
set(roots -u __wrap_fegetround -u __wrap_fesetround -u __wrap_ceil)
set(keep)
foreach(pattern ${EXPORTS})
  list(APPEND keep --keep-global-symbol=${pattern})
endforeach()
execute_process(COMMAND ${NM} -g --defined-only --no-sort -P ${OBJECTS} OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR "${NM} cannot read ${OBJECTS}")
endif()
list(JOIN EXPORTS "|" patterns)
string(REPLACE "*" "[A-Za-z0-9_]*" patterns "${patterns}")
string(REGEX MATCHALL "\n(${patterns}) [A-Z]" found "\n${symbols}")
foreach(symbol ${found})
  string(REGEX REPLACE "\n([^ ]+) .*" "\\1" name "${symbol}")
  list(APPEND roots -u ${name})
endforeach()

# Our own first, so that no library is asked for what nobody uses; groups of sections stay, to be one with its own.
run(${LINKER} -r --gc-sections ${roots} -o ${part} ${OBJECTS} ${ROOMS})
run(${OBJCOPY} --strip-unneeded ${part})
run(${LINKER} -r --force-group-allocation --wrap=fegetround --wrap=fesetround --wrap=ceil -o ${whole} ${part}
  --start-group ${ARCHIVES} --end-group)
# Unique symbols of C++ are no others' business either, but objcopy makes local only what is weak or global.
run(${OBJCOPY} --wildcard --weaken-symbol=_Z* ${whole})
run(${OBJCOPY} --wildcard ${keep} ${whole} ${OUTPUT})
file(REMOVE ${part} ${whole})

execute_process(COMMAND ${NM} --undefined-only ${OUTPUT} OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
string(REGEX MATCHALL " U (_Z|__gxx|__cxa_(throw|begin|end|allocate|guard)|crc32_|libdeflate_)[^\n]*" needed "${symbols}")
if(status OR needed)
  file(REMOVE ${OUTPUT})
  list(JOIN needed "\n" needed)
  message(FATAL_ERROR "${OUTPUT} needs what is no part of it:\n${needed}\n"
    "LIMEQUAT_ALONE_ARCHIVES=OFF makes archives that name the libraries they need")
endif()
