# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DNM=... -DOBJECT=... -P CheckAlone.cmake: fails if the object of a drop-in's archive needs a library that a C
# program does not link, which no compiler and linker would say before that program does.
execute_process(COMMAND ${NM} --undefined-only ${OBJECT} OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
string(REGEX MATCHALL " U (_Z|__gxx|__cxa_(throw|begin|end|allocate|guard)|crc32_|libdeflate_)[^\n]*" needed "${symbols}")
if(status OR needed)
  file(REMOVE ${OBJECT})
  list(JOIN needed "\n" needed)
  message(FATAL_ERROR "${OBJECT} needs what is no part of it:\n${needed}\n"
    "LIMEQUAT_ALONE_ARCHIVES=OFF makes archives that name the libraries they need")
endif()
