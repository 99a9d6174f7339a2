# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What the user may choose. Optional parts are detected, reported in Summary.cmake, and absent without error.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Type of build" FORCE)
endif()
option(BUILD_SHARED_LIBS "Build shared libraries" ON)
option(LIMEQUAT_TESTS "Build the tests (needs GoogleTest)" ${PROJECT_IS_TOP_LEVEL})
option(LIMEQUAT_DROPINS "Build libraries with the names of others (liblime, liblemon, libsion)" ON)
option(LIMEQUAT_ALONE_ARCHIVES "Static drop-ins that need no C++ library at their users' link, where possible" ON)
option(LIMEQUAT_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
set(LIMEQUAT_MPI AUTO CACHE STRING "MPI library: AUTO, openmpi, mpich or none")
set_property(CACHE LIMEQUAT_MPI PROPERTY STRINGS AUTO openmpi mpich none)
set(LIMEQUAT_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined")
option(LIMEQUAT_FUZZ "Build libFuzzer targets (needs clang)" OFF)
option(LIMEQUAT_COVERAGE "Count executed lines" OFF)
foreach(part ISAL LIBDEFLATE LZ4 ZSTD TOMLPLUSPLUS CLI BENCHMARKS PEERS NLOHMANN)
  set(LQ_WITH_${part} AUTO CACHE STRING "Use ${part}: AUTO, ON or OFF")
  set_property(CACHE LQ_WITH_${part} PROPERTY STRINGS AUTO ON OFF)
endforeach()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The installed tree may be moved: programs find the libraries beside them.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# Properties that every target of ours shares.
add_library(lq_flags INTERFACE)
target_compile_options(lq_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<BOOL:${LIMEQUAT_WARNINGS_AS_ERRORS}>:-Werror>)
# The same bits on every rank and machine: no contraction of a*b+c behind our back.
target_compile_options(lq_flags INTERFACE -ffp-contract=off)
if(LIMEQUAT_SANITIZE)
  add_compile_options(-fsanitize=${LIMEQUAT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LIMEQUAT_SANITIZE})
endif()
if(LIMEQUAT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "LIMEQUAT_FUZZ needs clang (cmake --preset fuzz)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(LIMEQUAT_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
