# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DOBJECTS=a.o|b.o -DEXPORTS=lime*|skip* -DOUTPUT=alone.o -DLINKER=... -DOBJCOPY=... -DNM=...
#   (-DROOMS=librooms.a -DARCHIVES=libx.a|liby.a -DNAME=base [-DBELOW=c.o|d.o] | -DOVER=base) -P MakeAlone.cmake
# Makes one object from the objects of a drop-in and the parts of the rooms and other libraries that they use. All symbols
# except those that match EXPORTS become local. Fails if the object needs a library that a C program does not link;
# otherwise this error would appear only when such a program is linked.
# An object that is OVER a base uses the C++ library in the object of that base, under names with the base's name as prefix;
# the base defines these names for the objects listed in BELOW. So both use one C++ library, and an exception thrown in one
# can be caught in the other.

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

# The exported names; the linker keeps the sections that are reachable from them.
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
  # The drop-in's objects first, so that only needed parts of libraries are linked; COMDAT groups are kept, so that they merge
  # with those of the libraries.
  run(${LINKER} -r --gc-sections ${roots} ${names} -u __wrap_fegetround -u __wrap_fesetround -u __wrap_ceil -o ${part}
    ${OBJECTS} ${ROOMS})
  run(${OBJCOPY} --strip-unneeded ${part})
  run(${LINKER} -r --force-group-allocation --wrap=fegetround --wrap=fesetround --wrap=ceil ${names} -o ${whole} ${part}
    --start-group ${ARCHIVES} --end-group)
endif()
if(renamed)
  run(${OBJCOPY} ${renamed} ${whole})
endif()
# Unique C++ symbols must become local as well, but objcopy does this only for weak and global ones.
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
