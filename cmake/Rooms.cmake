# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A room is a folder of src/ with its sources, its unit tests beside them, and the rooms it may include.

# Sources with the same functions for different systems: NAME_linux.cpp, and NAME_other.cpp for macOS and other POSIX
# systems.
set(LQ_SYSTEM other)
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(LQ_SYSTEM linux)
endif()

# Precompiled headers, shared by all targets with the same compiler options: `lq_precompile(TARGET OWNER)`. Builds that
# compile each source separately do not use them, so that a missing include is an error there.
set(LQ_PRECOMPILE OFF)
if(LIMEQUAT_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(LQ_PRECOMPILE ON)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/main.cpp CONTENT "int main() {}\n")
endif()
set(LQ_COMMON_HEADERS <algorithm> <array> <atomic> <bit> <cmath> <cstring> <functional> <limits> <map> <memory> <mutex>
  <numeric> <optional> <set> <span> <string> <string_view> <utility> <vector>)

function(lq_precompile target owner)
  if(LQ_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# Owners: of rooms, and of programs of tests.
if(LQ_PRECOMPILE AND NOT LIMEQUAT_CORE)
  add_library(lq_room_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled/main.cpp)
  target_link_libraries(lq_room_headers PRIVATE lq_flags)
  target_precompile_headers(lq_room_headers PRIVATE ${LQ_COMMON_HEADERS})
endif()
if(LQ_PRECOMPILE AND LIMEQUAT_TESTS)
  add_executable(lq_test_headers EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled/main.cpp)
  set_target_properties(lq_test_headers PROPERTIES LQ_TEST ON)
  target_link_libraries(lq_test_headers PRIVATE lq_flags GTest::gtest)
  target_precompile_headers(lq_test_headers PRIVATE ${LQ_COMMON_HEADERS} <complex> <filesystem> <fstream> <random>
    <thread> <gtest/gtest.h>)
endif()

# lq_core_objects(NAME SOURCE ...): an object library of sources without MPI. With LIMEQUAT_CORE they are not compiled:
# the objects of that tree, which was built for another MPI, are used.
function(lq_core_objects name)
  set(list core/${name}.txt)
  if(LIMEQUAT_CORE)
    file(STRINGS ${LIMEQUAT_CORE}/${list} objects)
    add_library(${name} OBJECT IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_OBJECTS "${objects}")
  else()
    add_library(${name} OBJECT ${ARGN})
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${list} CONTENT "$<JOIN:$<TARGET_OBJECTS:${name}>,\n>\n")
  endif()
endfunction()

# lq_with_mutants(SOURCES): replaces the sources that tools/mutants.py has rewritten.
function(lq_with_mutants list)
  if(NOT LIMEQUAT_MUTANTS)
    return()
  endif()
  set(sources)
  file(RELATIVE_PATH folder ${LQ_SOURCE} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(source ${${list}})
    if(EXISTS ${LIMEQUAT_MUTANTS}/${folder}/${source})
      set(source ${LIMEQUAT_MUTANTS}/${folder}/${source})
    endif()
    list(APPEND sources ${source})
  endforeach()
  set(${list} ${sources} PARENT_SCOPE)
endfunction()

# lq_room(NAME [LOOPS] SOURCES ... [TESTS ...] [ROOMS ...] [LIBRARIES ...] [TEST_ROOMS ...] [TEST_LIBRARIES ...])
#   lq_NAME       object library; LOOPS: it loops over the sites of a field (Options.cmake)
#   lq_NAME_test  its unit tests, linked with the rooms it needs and no others
function(lq_room room)
  cmake_parse_arguments(ROOM "LOOPS" "" "SOURCES;TESTS;ROOMS;TEST_ROOMS;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  lq_with_mutants(ROOM_SOURCES)
  lq_core_objects(lq_${room} ${ROOM_SOURCES})
  if(NOT LIMEQUAT_CORE)
    target_include_directories(lq_${room} PUBLIC ${LQ_SOURCE}/src ${LQ_SOURCE}/include)
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${LQ_DROPINS}/")
      target_include_directories(lq_${room} PUBLIC ${LQ_DROPINS}/src)
    endif()
    target_link_libraries(lq_${room} PUBLIC ${ROOM_LIBRARIES} PRIVATE lq_flags)
    set_target_properties(lq_${room} PROPERTIES LQ_LOOPS ${ROOM_LOOPS} UNITY_BUILD_BATCH_SIZE 32)
    if(ROOM_SOURCES MATCHES "^/|;/")
      target_compile_options(lq_${room} PRIVATE -O0)  # of mutants: compiled often, and run over small lattices
    elseif(NOT ROOM_LOOPS)
      lq_precompile(lq_${room} lq_room_headers)
    endif()
  endif()

  lq_closure("${ROOM_ROOMS}" closure libraries)
  list(PREPEND closure ${room})
  list(PREPEND libraries ${ROOM_LIBRARIES})
  list(REMOVE_DUPLICATES libraries)
  set_property(GLOBAL PROPERTY LQ_ROOM_${room}_CLOSURE ${closure})
  set_property(GLOBAL PROPERTY LQ_ROOM_${room}_LIBRARIES ${libraries})
  set_property(GLOBAL APPEND PROPERTY LQ_ROOMS ${room})

  if(LQ_TESTS_CORE AND ROOM_TESTS)
    lq_test(lq_${room}_test SOURCES ${ROOM_TESTS} ROOMS ${room} ${ROOM_TEST_ROOMS}
      LIBRARIES ${ROOM_TEST_LIBRARIES} LABELS unit)
  endif()
endfunction()

# lq_closure(ROOMS OUT_ROOMS OUT_LIBRARIES): the rooms that these need, and the libraries of all of them.
function(lq_closure rooms out_rooms out_libraries)
  set(closure)
  set(libraries)
  foreach(room ${rooms})
    if(NOT TARGET lq_${room})
      message(FATAL_ERROR "there is no room ${room}, or it comes after those that need it")
    endif()
    get_property(room_closure GLOBAL PROPERTY LQ_ROOM_${room}_CLOSURE)
    get_property(room_libraries GLOBAL PROPERTY LQ_ROOM_${room}_LIBRARIES)
    list(APPEND closure ${room_closure})
    list(APPEND libraries ${room_libraries})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  list(REMOVE_DUPLICATES libraries)
  set(${out_rooms} ${closure} PARENT_SCOPE)
  set(${out_libraries} ${libraries} PARENT_SCOPE)
endfunction()

# lq_closure_objects(ROOMS OUT_OBJECTS OUT_LIBRARIES): the same, with the objects of the rooms, for a program that uses
# their internals.
function(lq_closure_objects rooms out_objects out_libraries)
  lq_closure("${rooms}" closure libraries)
  set(objects)
  foreach(room ${closure})
    list(APPEND objects $<TARGET_OBJECTS:lq_${room}>)
  endforeach()
  set(${out_objects} ${objects} PARENT_SCOPE)
  set(${out_libraries} ${libraries} PARENT_SCOPE)
endfunction()

# lq_test(NAME SOURCES ... ROOMS ... [LIBRARIES ...] [LABELS ...]): a GoogleTest program over internals.
function(lq_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;ROOMS;LIBRARIES;LABELS" ${ARGN})
  lq_closure_objects("${TEST_ROOMS}" objects libraries)
  add_executable(${name} ${TEST_SOURCES} ${objects})
  set_target_properties(${name} PROPERTIES LQ_TEST ON)
  target_include_directories(${name} PRIVATE ${LQ_SOURCE}/src ${LQ_SOURCE}/include ${LQ_TREE}/tests
    ${LQ_DROPINS}/src ${LQ_DROPINS})
  target_compile_definitions(${name} PRIVATE LQ_SOURCE_DIR="${LQ_TREE}")
  target_link_libraries(${name} PRIVATE ${libraries} ${TEST_LIBRARIES} lq_flags GTest::gtest_main Threads::Threads)
  lq_precompile(${name} lq_test_headers)
  if(CMAKE_CROSSCOMPILING)
    # Under emulation, starting a process takes longer than most tests.
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT 900)
  else()
    include(GoogleTest)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT 300)
  endif()
endfunction()

# lq_mpi_test(NAME SOURCES ... [ROOMS ...] RANKS n ...): one program, one ctest entry NAME.nK per number of ranks.
# With ROOMS it is linked with those rooms and the internals of src/mpi, otherwise with the public libraries.
function(lq_mpi_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;ROOMS;RANKS" ${ARGN})
  set(objects)
  set(libraries Limequat::limequat Limequat::mpi)
  if(TEST_ROOMS)
    lq_closure_objects("${TEST_ROOMS}" objects libraries)
    list(PREPEND libraries MPI::MPI_CXX)
    list(APPEND objects $<TARGET_OBJECTS:lq_mpi>)
  endif()
  add_executable(${name} ${TEST_SOURCES} ${LQ_TREE}/tests/mpi/harness.cpp ${objects})
  target_include_directories(${name} PRIVATE ${LQ_SOURCE}/src ${LQ_SOURCE}/include ${LQ_TREE}/tests
    ${LQ_DROPINS}/src ${LQ_DROPINS})
  target_link_libraries(${name} PRIVATE ${libraries} lq_flags GTest::gtest Threads::Threads)
  lq_precompile(${name} lq_test_headers)
  foreach(ranks ${TEST_RANKS})
    add_test(NAME ${name}.n${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
      $<TARGET_FILE:${name}> ${MPIEXEC_POSTFLAGS})
    set_tests_properties(${name}.n${ranks} PROPERTIES LABELS mpi PROCESSORS ${ranks} TIMEOUT 300
      ENVIRONMENT "${LQ_MPI_ENVIRONMENT}")
  endforeach()
endfunction()

# lq_mark_tests(FOLDER): targets in this folder and below are compiled with the options of tests.
function(lq_mark_tests folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    set_target_properties(${target} PROPERTIES LQ_TEST ON)
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    lq_mark_tests(${below})
  endforeach()
endfunction()
