# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Libraries of others. fmt and pugixml are required; the rest is used when found.

find_package(fmt REQUIRED)
find_package(pugixml REQUIRED)
find_package(Threads REQUIRED)

# lq_find_optional(PART HEADER LIBRARY): sets LQ_HAVE_PART and the target lq_PART.
function(lq_find_optional part header library)
  set(have OFF)
  if(NOT LQ_WITH_${part} STREQUAL OFF)
    find_path(LQ_${part}_INCLUDE ${header})
    find_library(LQ_${part}_LIBRARY ${library})
    if(LQ_${part}_INCLUDE AND LQ_${part}_LIBRARY)
      set(have ON)
      add_library(lq_${part} INTERFACE)
      target_include_directories(lq_${part} SYSTEM INTERFACE ${LQ_${part}_INCLUDE})
      target_link_libraries(lq_${part} INTERFACE ${LQ_${part}_LIBRARY})
    elseif(LQ_WITH_${part} STREQUAL ON)
      message(FATAL_ERROR "LQ_WITH_${part} is ON but ${header} or lib${library} was not found")
    endif()
  endif()
  set(LQ_HAVE_${part} ${have} PARENT_SCOPE)
endfunction()

lq_find_optional(ISAL isa-l.h isal)
lq_find_optional(LIBDEFLATE libdeflate.h deflate)
lq_find_optional(LZ4 lz4frame.h lz4)
lq_find_optional(ZSTD zstd.h zstd)

# Site profiles need toml++, which is headers only.
set(LQ_HAVE_TOMLPLUSPLUS OFF)
if(NOT LQ_WITH_TOMLPLUSPLUS STREQUAL OFF)
  find_path(LQ_TOMLPLUSPLUS_INCLUDE toml++/toml.h)
  if(LQ_TOMLPLUSPLUS_INCLUDE)
    set(LQ_HAVE_TOMLPLUSPLUS ON)
  elseif(LQ_WITH_TOMLPLUSPLUS STREQUAL ON)
    message(FATAL_ERROR "LQ_WITH_TOMLPLUSPLUS is ON but toml++/toml.h was not found")
  endif()
endif()

# The command line tool needs CLI11, which is headers only.
set(LQ_HAVE_CLI OFF)
if(NOT LQ_WITH_CLI STREQUAL OFF)
  find_path(LQ_CLI11_INCLUDE CLI/CLI.hpp)
  if(LQ_CLI11_INCLUDE)
    set(LQ_HAVE_CLI ON)
  elseif(LQ_WITH_CLI STREQUAL ON)
    message(FATAL_ERROR "LQ_WITH_CLI is ON but CLI/CLI.hpp (CLI11) was not found")
  endif()
endif()

# `lq plot` reads JSON with nlohmann's library, which is headers only.
set(LQ_HAVE_NLOHMANN OFF)
if(NOT LQ_WITH_NLOHMANN STREQUAL OFF)
  find_path(LQ_NLOHMANN_INCLUDE nlohmann/json.hpp)
  if(LQ_NLOHMANN_INCLUDE)
    set(LQ_HAVE_NLOHMANN ON)
  elseif(LQ_WITH_NLOHMANN STREQUAL ON)
    message(FATAL_ERROR "LQ_WITH_NLOHMANN is ON but nlohmann/json.hpp was not found")
  endif()
endif()

if(LIMEQUAT_TESTS)
  find_package(GTest)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "LIMEQUAT_TESTS is ON but GoogleTest was not found (or pass -DLIMEQUAT_TESTS=OFF)")
  endif()
endif()
find_package(Python3 COMPONENTS Interpreter)
if(LIMEQUAT_TESTS AND NOT Python3_FOUND)
  message(FATAL_ERROR "LIMEQUAT_TESTS is ON but Python 3 was not found (or pass -DLIMEQUAT_TESTS=OFF)")
endif()

# MPI by name: the two libraries may be installed side by side under compiler wrappers with a suffix.
set(LQ_HAVE_MPI OFF)
if(NOT LIMEQUAT_MPI STREQUAL none)
  if(LIMEQUAT_MPI MATCHES "^(openmpi|mpich)$")
    find_program(LQ_MPICXX NAMES mpicxx.${LIMEQUAT_MPI} mpicxx REQUIRED)
    find_program(LQ_MPICC NAMES mpicc.${LIMEQUAT_MPI} mpicc REQUIRED)
    find_program(LQ_MPIEXEC NAMES mpiexec.${LIMEQUAT_MPI} mpiexec.hydra mpiexec REQUIRED)
    set(MPI_CXX_COMPILER ${LQ_MPICXX})
    set(MPI_C_COMPILER ${LQ_MPICC})
    set(MPIEXEC_EXECUTABLE ${LQ_MPIEXEC})
    find_package(MPI REQUIRED COMPONENTS C CXX)
  else()
    find_package(MPI COMPONENTS C CXX)
  endif()
  set(LQ_HAVE_MPI ${MPI_CXX_FOUND})
endif()

# For tests that start ranks: as root, in a container, on fewer cores than ranks. MPICH ignores all of it.
set(LQ_MPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_hwloc_base_binding_policy=none HWLOC_HIDE_ERRORS=2)
