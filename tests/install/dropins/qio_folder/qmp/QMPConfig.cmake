# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause

if(NOT TARGET QMP::qmp)
  add_library(QMP::qmp INTERFACE IMPORTED)
  set_target_properties(QMP::qmp PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_LIST_DIR})
endif()
