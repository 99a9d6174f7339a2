# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DOBJECTS=a.o|b.o -DEXPORTS=lime*|skip* -DOUTPUT=alone.o -DLINKER=... -DOBJCOPY=... -DNM=...
#   (-DROOMS=librooms.a -DARCHIVES=libx.a|liby.a -DNAME=base [-DBELOW=c.o|d.o] | -DOVER=base) -P MakeAlone.cmake
# One object of a drop-in's objects and of what they use of the rooms and then of other libraries, all names but those
# that match EXPORTS made local. Fails if it needs a library that a C program does not link, which no compiler and
# linker would say before that program does.
# One that is made OVER a base takes what it needs of C++ from the object of that base, under names with the base in front;
# the base has these names for the objects that it is BELOW. So an exception that one throws and the other catches is of one
# C++ library.

foreach(list OBJECTS ARCHIVES EXPORTS BELOW)
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
set(roots)
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

set(renamed)
if(OVER)
  run(${LINKER} -r --gc-sections --force-group-allocation ${roots} -o ${whole} ${OBJECTS})
  run(${OBJCOPY} --strip-unneeded ${whole})
  execute_process(COMMAND ${NM} --undefined-only ${whole} OUTPUT_VARIABLE symbols)
  string(REGEX MATCHALL " U (_Z|__gxx_|__cxa_|__dynamic_cast)[^\n]*" names "${symbols}")
  list(TRANSFORM names REPLACE " U (.+)" "--redefine-sym=\\1=${OVER}_\\1" OUTPUT_VARIABLE renamed)
else()
  set(names)
  if(BELOW)
    execute_process(COMMAND ${NM} --undefined-only ${BELOW} OUTPUT_VARIABLE symbols)
    string(REGEX MATCHALL " U ${NAME}_[^\n]*" names "${symbols}")
    list(REMOVE_DUPLICATES names)
    list(TRANSFORM names REPLACE " U ${NAME}_(.+)" "--redefine-sym=\\1=${NAME}_\\1" OUTPUT_VARIABLE renamed)
    list(TRANSFORM names REPLACE " U ${NAME}_" "--undefined=")
    list(APPEND keep --keep-global-symbol=${NAME}_*)
  endif()
  # Our own first, so that no library is asked for what nobody uses; groups of sections stay, to be one with its own.
  run(${LINKER} -r --gc-sections ${roots} ${names} -u __wrap_fegetround -u __wrap_fesetround -u __wrap_ceil -o ${part}
    ${OBJECTS} ${ROOMS})
  run(${OBJCOPY} --strip-unneeded ${part})
  run(${LINKER} -r --force-group-allocation --wrap=fegetround --wrap=fesetround --wrap=ceil ${names} -o ${whole} ${part}
    --start-group ${ARCHIVES} --end-group)
endif()
if(renamed)
  run(${OBJCOPY} ${renamed} ${whole})
endif()
# Unique symbols of C++ are no others' business either, but objcopy makes local only what is weak or global.
run(${OBJCOPY} --wildcard --weaken-symbol=_Z* ${whole})
run(${OBJCOPY} --wildcard ${keep} ${whole} ${OUTPUT})
file(REMOVE ${part} ${whole})

set(own)
if(BELOW)
  set(own "|${NAME}_")
endif()
execute_process(COMMAND ${NM} --undefined-only ${OUTPUT} OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
string(REGEX MATCHALL " U (_Z|__gxx|__cxa_(throw|begin|end|allocate|guard)|crc32_|libdeflate_${own})[^\n]*" needed "${symbols}")
if(status OR needed)
  file(REMOVE ${OUTPUT})
  list(JOIN needed "\n" needed)
  message(FATAL_ERROR "${OUTPUT} needs what is no part of it:\n${needed}\n"
    "LIMEQUAT_ALONE_ARCHIVES=OFF makes archives that name the libraries they need")
endif()
