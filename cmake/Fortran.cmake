# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds a Fortran compiler that supports assumed-rank arrays in C (Fortran 2018), and the Fortran bindings of MPI.

set(LQ_HAVE_FORTRAN OFF)
set(LQ_NO_FORTRAN_BECAUSE "LIMEQUAT_FORTRAN=OFF")
if(NOT LIMEQUAT_FORTRAN STREQUAL OFF)
  set(LQ_NO_FORTRAN_BECAUSE "no Fortran compiler found")
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    execute_process(COMMAND ${CMAKE_Fortran_COMPILER} -print-file-name=include OUTPUT_VARIABLE binding_folder
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    find_path(LQ_FORTRAN_BINDING_INCLUDE ISO_Fortran_binding.h PATHS ${binding_folder})
    if(LQ_FORTRAN_BINDING_INCLUDE)
      set(LQ_HAVE_FORTRAN ON)
    else()
      set(LQ_NO_FORTRAN_BECAUSE "${CMAKE_Fortran_COMPILER} has no ISO_Fortran_binding.h")
    endif()
  endif()
  if(LIMEQUAT_FORTRAN STREQUAL ON AND NOT LQ_HAVE_FORTRAN)
    message(FATAL_ERROR "LIMEQUAT_FORTRAN is ON, but: ${LQ_NO_FORTRAN_BECAUSE}")
  endif()
endif()

if(LQ_HAVE_FORTRAN AND LQ_HAVE_MPI)
  string(REGEX REPLACE "mpi(cxx|c\\+\\+|CC)" "mpifort" wrapper "${MPI_CXX_COMPILER}")
  find_program(LQ_MPIFORT NAMES ${wrapper} mpifort)
  if(LQ_MPIFORT)
    set(MPI_Fortran_COMPILER ${LQ_MPIFORT})
    find_package(MPI QUIET COMPONENTS Fortran)
  endif()
endif()
