# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The core library neither calls MPI nor loads it. Arguments: NM, LIBRARY.

execute_process(COMMAND ${NM} ${LIBRARY} OUTPUT_VARIABLE symbols ERROR_VARIABLE complaint RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${LIBRARY}: nm failed: ${complaint}")
endif()
if(NOT symbols MATCHES "lq")
  message(FATAL_ERROR "${LIBRARY}: nm shows no symbol of ours; the check would be blind")
endif()
string(REGEX MATCHALL "[^ \n]*[^A-Za-z]P?(MPI|ompi|MPIR)_[^\n]*" found "${symbols}")
if(found)
  message(FATAL_ERROR "${LIBRARY}: symbols of MPI in the core: ${found}")
endif()
