# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Options of the user. Optional parts are detected and reported by Summary.cmake; a missing one is not an error.

# Compilers that are too old would fail later, with messages that do not name the cause.
foreach(oldest "GNU 11" "Clang 14" "AppleClang 15")
  string(REPLACE " " ";" oldest ${oldest})
  list(GET oldest 0 name)
  list(GET oldest 1 number)
  if(CMAKE_CXX_COMPILER_ID STREQUAL name AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS number)
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is ${name} ${CMAKE_CXX_COMPILER_VERSION}; Limequat needs version ${number} or later (GCC 11, "
      "clang 14): load a newer compiler (module load gcc) or name one, cmake -DCMAKE_CXX_COMPILER=g++-12, in an empty build folder")
  endif()
endforeach()

# Inside another project (add_subdirectory, FetchContent) only the libraries are built, and that project's settings are kept.
set(LQ_IS_TOP_LEVEL OFF)
if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
  set(LQ_IS_TOP_LEVEL ON)
endif()
if(LQ_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Type of build" FORCE)
  endif()
  option(BUILD_SHARED_LIBS "Build shared libraries" ON)
elseif(NOT DEFINED BUILD_SHARED_LIBS)
  set(BUILD_SHARED_LIBS ON)
endif()
option(LIMEQUAT_TESTS "Build the tests (needs GoogleTest)" ${LQ_IS_TOP_LEVEL})
option(LIMEQUAT_PROGRAMS "Build the programs lq and lq-mpi, and the examples" ${LQ_IS_TOP_LEVEL})
option(LIMEQUAT_INSTALL "Make install rules" ${LQ_IS_TOP_LEVEL})
option(LIMEQUAT_DROPINS "Build libraries with the names of others (liblime, liblemon, libsion)" ${LQ_IS_TOP_LEVEL})
option(LIMEQUAT_ALONE_ARCHIVES "Static drop-ins that need no C++ library at their users' link, where possible" ON)
option(LIMEQUAT_UNITY "Compile several sources as one: a third of the work, for builds that are made once" OFF)
option(LIMEQUAT_PORTABLE_KERNELS "Kernels in C++ alone, for compilers without the vector types of GCC and clang" OFF)
if(LIMEQUAT_PORTABLE_KERNELS)
  add_compile_definitions(LQ_PORTABLE_KERNELS)
endif()
option(LIMEQUAT_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
set(LIMEQUAT_THIRD_PARTY AUTO CACHE STRING
  "Copies of fmt, pugixml, CLI11 and toml++ in third_party/: AUTO (where the system has none), ON or OFF")
set_property(CACHE LIMEQUAT_THIRD_PARTY PROPERTY STRINGS AUTO ON OFF)
set(LIMEQUAT_MPI AUTO CACHE STRING "MPI library: AUTO, openmpi, mpich or none")
set_property(CACHE LIMEQUAT_MPI PROPERTY STRINGS AUTO openmpi mpich none)
set(LIMEQUAT_CORE "" CACHE PATH "A built tree with another MPI and else the same options, whose core is taken; for our own tests")
# Code without MPI is tested in the tree where it was compiled.
set(LQ_TESTS_CORE OFF)
if(LIMEQUAT_TESTS AND NOT LIMEQUAT_CORE)
  set(LQ_TESTS_CORE ON)
endif()
set(fortran_default OFF)
if(LQ_IS_TOP_LEVEL)
  set(fortran_default AUTO)
endif()
set(LIMEQUAT_FORTRAN ${fortran_default} CACHE STRING "Build the Fortran module: AUTO, ON or OFF")
set_property(CACHE LIMEQUAT_FORTRAN PROPERTY STRINGS AUTO ON OFF)
set(LIMEQUAT_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined")
option(LIMEQUAT_FUZZ "Build libFuzzer targets (needs clang)" OFF)
option(LIMEQUAT_COVERAGE "Count executed lines" OFF)
set(LIMEQUAT_MUTANTS "" CACHE PATH "Folder of sources with bugs that are chosen at run time (tools/mutants.py)")
foreach(part ISAL LIBDEFLATE LZ4 ZSTD SQLITE HDF5 TOMLPLUSPLUS CLI BENCHMARKS PEERS)
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
set(CMAKE_UNITY_BUILD ${LIMEQUAT_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
# The installed tree can be moved: programs find the libraries relative to themselves.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# lq_install(...): install(...), if LIMEQUAT_INSTALL is set.
macro(lq_install)
  if(LIMEQUAT_INSTALL)
    install(${ARGN})
  endif()
endmacro()

# Properties of all targets of this project.
add_library(lq_flags INTERFACE)
target_compile_options(lq_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<BOOL:${LIMEQUAT_WARNINGS_AS_ERRORS}>:-Werror>)
# GCC before version 12 assumes the largest value for sizes that it cannot bound.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  target_compile_options(lq_flags INTERFACE -Wno-stringop-overread -Wno-stringop-overflow)
endif()
# Algorithms of libstdc++ before version 13 call functions deprecated in C++20, and newer versions of clang warn about it.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
  target_compile_options(lq_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
# No contraction of a*b+c by the compiler, so that results have the same bits on every rank and machine.
target_compile_options(lq_flags INTERFACE -ffp-contract=off)
# -O3 is for loops over the sites of a field, in rooms declared with LOOPS. Elsewhere it takes a sixth of the build time
# and gains nothing. Tests call optimised code; compiling the tests themselves without optimisation (lq_mark_tests) takes half
# as long, and even less under sanitizers.
set(is_plain $<NOT:$<BOOL:$<TARGET_PROPERTY:LQ_LOOPS>>>)
set(is_test $<BOOL:$<TARGET_PROPERTY:LQ_TEST>>)
target_compile_options(lq_flags INTERFACE $<$<AND:$<CONFIG:Release>,${is_plain}>:$<IF:${is_test},-O0,-O2>>)
if(LIMEQUAT_SANITIZE)
  target_compile_options(lq_flags INTERFACE $<$<AND:${is_plain},${is_test}>:-O0>)
endif()
# By default GCC collects garbage above 128 MiB, which takes a twelfth of its time in unity builds.
if(LIMEQUAT_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(lq_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=500000>)
endif()
# The linker includes whole objects or sections: with sections, drop-ins get only the functions that they use of an object.
target_compile_options(lq_flags INTERFACE $<$<BOOL:${LIMEQUAT_UNITY}>:-ffunction-sections;-fdata-sections>)
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
