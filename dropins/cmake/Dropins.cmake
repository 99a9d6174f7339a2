# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A drop-in is a library with the interface of another one, built from rooms of Limequat: shared and static, with headers, a
# CMake package and a pkg-config file. No other symbol of Limequat is exported, and linking it needs no C++ compiler.

include(CMakePackageConfigHelpers)

# The installed folder compat has include, lib and bin, for build systems that expect them below one prefix.
foreach(link include:${CMAKE_INSTALL_INCLUDEDIR}/compat lib:${CMAKE_INSTALL_LIBDIR} bin:${CMAKE_INSTALL_BINDIR})
  string(REPLACE ":" ";" link ${link})
  list(GET link 0 name)
  list(GET link 1 folder)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/compat)
  file(CREATE_LINK ../${folder} ${PROJECT_BINARY_DIR}/compat/${name} SYMBOLIC)
  lq_install(FILES ${PROJECT_BINARY_DIR}/compat/${name} DESTINATION compat)
endforeach()

# Where possible, a static drop-in is one object that depends only on the C library: it contains its own objects and the parts
# of the C++ library they use, with all other symbols made local. This needs GNU ld and static versions of those libraries.
set(LQ_DROPIN_ARCHIVES)
set(why "")
execute_process(COMMAND ${CMAKE_LINKER} --help OUTPUT_VARIABLE linker_help ERROR_QUIET)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE libstdcxx
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_library(LQ_PUGIXML_ARCHIVE libpugixml.a)
find_library(LQ_FMT_ARCHIVE libfmt.a)
if(NOT LIMEQUAT_ALONE_ARCHIVES)
  set(why "LIMEQUAT_ALONE_ARCHIVES=OFF")
elseif(LIMEQUAT_SANITIZE OR LIMEQUAT_COVERAGE OR LIMEQUAT_FUZZ)
  set(why "an instrumented build")
elseif(NOT CMAKE_OBJCOPY OR NOT "${linker_help}" MATCHES "force-group-allocation")
  set(why "no GNU ld and objcopy")
elseif(NOT EXISTS "${libstdcxx}")
  set(why "no libstdc++.a")
elseif(NOT LQ_PUGIXML_ARCHIVE)
  set(why "no libpugixml.a")
endif()
set(LQ_DROPINS_ALONE OFF)
if(NOT why)
  set(LQ_DROPINS_ALONE ON)
  list(APPEND LQ_DROPIN_ARCHIVES ${LQ_PUGIXML_ARCHIVE})
  if(LQ_FMT_ARCHIVE)
    list(APPEND LQ_DROPIN_ARCHIVES ${LQ_FMT_ARCHIVE})
  endif()
  list(APPEND LQ_DROPIN_ARCHIVES ${libstdcxx})
endif()
set(LQ_DROPINS_NOT_ALONE_BECAUSE "${why}")

# Libraries that programs must link with merged archives of other builds.
set(LQ_DROPIN_LINK_NAMES)
if(NOT LQ_DROPINS_ALONE)
  set(LQ_DROPIN_LINK_NAMES fmt pugixml)
  if(LQ_HAVE_ISAL)
    list(APPEND LQ_DROPIN_LINK_NAMES isal)
  elseif(LQ_HAVE_LIBDEFLATE)
    list(APPEND LQ_DROPIN_LINK_NAMES deflate)
  endif()
  list(APPEND LQ_DROPIN_LINK_NAMES stdc++ m)
endif()

# Few machines have static versions of some dependencies, so they are compiled here: fmt from its headers, and the portable
# CRC-32. The shared libraries contain them as well and do not load them at run time.
if(LQ_DROPINS_ALONE)
  set(alone ${LQ_SOURCE}/src/kernels/crc32.cpp ${LQ_DROPINS}/src/compat/rounding.cpp)
  if(NOT LQ_FMT_ARCHIVE)
    list(APPEND alone ${LQ_DROPINS}/src/compat/formatting.cpp)
  endif()
  lq_core_objects(lq_alone ${alone})
  if(NOT LIMEQUAT_CORE)
    set_source_files_properties(${LQ_DROPINS}/src/compat/formatting.cpp TARGET_DIRECTORY lq_alone
      PROPERTIES COMPILE_OPTIONS "-fno-inline;$<$<CXX_COMPILER_ID:GNU>:-fno-ipa-cp>")
    target_include_directories(lq_alone PRIVATE ${LQ_SOURCE}/src ${LQ_DROPINS}/src ${LQ_SOURCE}/include)
    target_link_libraries(lq_alone PRIVATE fmt::fmt lq_flags)
  endif()
endif()

# lq_dropin(NAME SOURCES ... ROOMS ... EXPORTS "lime*" ... [HEADERS a.h ...] [FOLDERS include/lemon ...]
#           [LIBRARIES MPI::MPI_C ...] [OBJECTS other object libraries ...] [DEFINITIONS of its users ...]
#           [BELOW other drop-ins ...] [INNER "_ZN..." ...] [OVER another drop-in]
#           [PACKAGE P VERSION v COMPATIBILITY rule] [BRINGS Q::other ...] [DESCRIPTION text])
#   NAME         libNAME.so; only names that match EXPORTS are visible
#   NAME_static  libNAME.a
#   lq_NAME      object library of the sources
# HEADERS are in dropins/include; they are installed into each of FOLDERS (include/compat by default), so that headers of
# another library in the same prefix are not replaced.
# With a PACKAGE, find_package(P) defines P::NAME and P::NAME_static, and pkg-config knows NAME. They also link the targets
# of BRINGS, if package Q is found.
# A drop-in that is OVER another one, which lists it in BELOW, depends on it and contains none of its objects, so shared state
# exists once. The other one exports INNER names for it; its archive exports the needed names with a prefix (MakeAlone.cmake).
function(lq_dropin name)
  cmake_parse_arguments(DROPIN "" "PACKAGE;VERSION;COMPATIBILITY;DESCRIPTION;OVER"
    "SOURCES;ROOMS;EXPORTS;HEADERS;FOLDERS;LIBRARIES;OBJECTS;DEFINITIONS;BRINGS;BELOW;INNER" ${ARGN})
  lq_closure("${DROPIN_ROOMS}" closure room_libraries)
  set_property(GLOBAL PROPERTY LQ_DROPIN_${name}_CLOSURE ${closure})
  if("storage" IN_LIST closure AND NOT DROPIN_OVER)
    list(APPEND DROPIN_SOURCES ${LQ_DROPINS}/src/compat/watch.cpp)
  endif()

  # Its own sources. Their symbols have default visibility; EXPORTS selects the exported ones.
  set(is_core OFF)
  if(DROPIN_LIBRARIES MATCHES "MPI::")
    add_library(lq_${name} OBJECT ${DROPIN_SOURCES})
  else()
    lq_core_objects(lq_${name} ${DROPIN_SOURCES})
    set(is_core ON)
  endif()
  if(NOT is_core OR NOT LIMEQUAT_CORE)
    target_include_directories(lq_${name} PUBLIC
      ${LQ_SOURCE}/src ${LQ_DROPINS}/src ${LQ_SOURCE}/include ${LQ_DROPINS}/include)
    target_compile_definitions(lq_${name} PUBLIC ${DROPIN_DEFINITIONS})
    target_link_libraries(lq_${name} PUBLIC ${room_libraries} ${DROPIN_LIBRARIES} PRIVATE lq_flags)
    set_target_properties(lq_${name} PROPERTIES CXX_VISIBILITY_PRESET default C_VISIBILITY_PRESET default)
  endif()
  set(objects $<TARGET_OBJECTS:lq_${name}>)
  foreach(other ${DROPIN_OBJECTS})
    list(APPEND objects $<TARGET_OBJECTS:${other}>)
  endforeach()

  # Only the objects of the rooms that are used; those in lq_alone replace the rooms' own.
  set(room_objects)
  foreach(room ${closure})
    set(of_room $<TARGET_OBJECTS:lq_${room}>)
    if(LQ_DROPINS_ALONE AND room STREQUAL "kernels")
      set(of_room $<FILTER:${of_room},EXCLUDE,/crc32\\.cpp>)
    endif()
    list(APPEND room_objects ${of_room})
  endforeach()
  if(LQ_DROPINS_ALONE)
    list(APPEND room_objects $<TARGET_OBJECTS:lq_alone>)
  endif()
  add_library(${name}_rooms STATIC ${room_objects})
  set_target_properties(${name}_rooms PROPERTIES LINKER_LANGUAGE CXX
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})

  lq_dropin_shared(${name} "${objects}" "${DROPIN_EXPORTS}" "${DROPIN_INNER}" "${room_libraries}")
  if(DROPIN_OVER)
    get_property(below GLOBAL PROPERTY LQ_DROPIN_${DROPIN_OVER}_CLOSURE)
    list(REMOVE_ITEM closure ${below})
    list(TRANSFORM closure REPLACE "(.+)" "$<TARGET_OBJECTS:lq_\\1>")
    list(APPEND objects ${closure})
  endif()
  lq_dropin_static(${name} "${objects}" "${DROPIN_EXPORTS}")
  if(DROPIN_OVER)
    target_link_libraries(${name} PUBLIC ${DROPIN_OVER})
    target_link_libraries(${name}_static INTERFACE ${DROPIN_OVER}_static)
    add_dependencies(${DROPIN_OVER}_static ${name}_static)
  endif()
  if(NOT DROPIN_FOLDERS)
    set(DROPIN_FOLDERS ${CMAKE_INSTALL_INCLUDEDIR}/compat)
  endif()
  foreach(target ${name} ${name}_static)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${LQ_DROPINS}/include>)
    foreach(folder ${DROPIN_FOLDERS})
      target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${folder}>)
    endforeach()
    target_compile_definitions(${target} INTERFACE ${DROPIN_DEFINITIONS})
  endforeach()
  target_link_libraries(${name} PUBLIC ${DROPIN_LIBRARIES})
  target_link_libraries(${name}_static INTERFACE ${DROPIN_LIBRARIES})
  lq_dropin_install(${name})
endfunction()

# Names that match `exports` have the version of the soname, those that match `inner` that of the release, as in liblimequat
# (lq_version_symbols of src); no others are visible. Programs that were linked to a library without versions run as before.
function(lq_dropin_versions name exports inner)
  list(JOIN exports ";\n    " names)
  set(versions "LIMEQUAT_${PROJECT_VERSION_MAJOR} {\n  global:\n    ${names};\n  local:\n    *;\n};\n")
  if(inner)
    list(JOIN inner ";\n    " names)
    string(APPEND versions "LIMEQUAT_${PROJECT_VERSION}_INNER {\n  global:\n    ${names};\n};\n")
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "${versions}" @ONLY)
  target_link_options(${name} PRIVATE LINKER:--version-script=${script})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${script}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endfunction()

function(lq_dropin_shared name objects exports inner libraries)
  add_library(${name} SHARED ${objects})
  target_link_libraries(${name} PRIVATE ${name}_rooms ${libraries} Threads::Threads)
  target_link_options(${name} PRIVATE LINKER:--as-needed LINKER:--gc-sections)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  lq_dropin_versions(${name} "${exports}" "${inner}")
endfunction()

# Uses the variables of lq_dropin.
function(lq_dropin_static name objects exports)
  if(LQ_DROPINS_ALONE)
    set(alone ${CMAKE_CURRENT_BINARY_DIR}/${name}_alone.o)
    list(JOIN exports "|" exports)
    set(others ${DROPIN_BELOW})
    list(TRANSFORM others REPLACE "(.+)" "${CMAKE_CURRENT_BINARY_DIR}/\\1_alone.o")
    if(DROPIN_OVER)
      set(place -DOVER=${DROPIN_OVER})
      set(rooms)
    else()
      list(JOIN others "|" joined)
      list(JOIN LQ_DROPIN_ARCHIVES "|" archives)
      set(place -DNAME=${name} "-DBELOW=${joined}" -DROOMS=$<TARGET_FILE:${name}_rooms> "-DARCHIVES=${archives}")
      set(rooms ${name}_rooms)
    endif()
    add_custom_command(OUTPUT ${alone}
      COMMAND ${CMAKE_COMMAND} "-DOBJECTS=$<JOIN:${objects},|>" ${place} "-DEXPORTS=${exports}" -DOUTPUT=${alone}
        -DLINKER=${CMAKE_LINKER} -DOBJCOPY=${CMAKE_OBJCOPY} -DNM=${CMAKE_NM} -P ${LQ_DROPINS}/cmake/MakeAlone.cmake
      DEPENDS ${objects} ${rooms} ${others} ${LQ_DROPINS}/cmake/MakeAlone.cmake
      VERBATIM COMMENT "Making lib${name}.a of one object")
    set_source_files_properties(${alone} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    add_library(${name}_static STATIC ${alone})
  else()
    set(room_objects)
    if(NOT DROPIN_OVER)
      get_target_property(room_objects ${name}_rooms SOURCES)
    endif()
    add_library(${name}_static STATIC ${objects} ${room_objects})
    target_link_libraries(${name}_static INTERFACE ${LQ_DROPIN_LINK_NAMES})
  endif()
  set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C)
endfunction()

# lq_dropin_alias(ALIAS NAME): links with the name ALIAS to the files of the libraries NAME and NAME_static, if these are
# targets, so that a program gets the same library under both names.
function(lq_dropin_alias alias name)
  foreach(target ${name} ${name}_static)
    if(NOT TARGET ${target})
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    set(suffixes ${CMAKE_STATIC_LIBRARY_SUFFIX})
    set(folder ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY})
    if(type STREQUAL "SHARED_LIBRARY")
      # The link with the version number is for programs linked when the two were separate libraries.
      set(suffixes ${CMAKE_SHARED_LIBRARY_SUFFIX} ${CMAKE_SHARED_LIBRARY_SUFFIX}.${PROJECT_VERSION_MAJOR})
      set(folder ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
    endif()
    file(MAKE_DIRECTORY ${folder})
    foreach(suffix ${suffixes})
      file(CREATE_LINK lib${name}${suffix} ${folder}/lib${alias}${suffix} SYMBOLIC)
      lq_install(FILES ${folder}/lib${alias}${suffix} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endforeach()
  endforeach()
endfunction()

# Uses the variables of lq_dropin.
macro(lq_dropin_install name)
  set(export)
  if(DROPIN_PACKAGE)
    set(export EXPORT ${DROPIN_PACKAGE}Targets)
  endif()
  lq_install(TARGETS ${name} ${name}_static ${export}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  list(TRANSFORM DROPIN_HEADERS PREPEND ${LQ_DROPINS}/include/)
  foreach(folder ${DROPIN_FOLDERS})
    lq_install(FILES ${DROPIN_HEADERS} DESTINATION ${folder})
  endforeach()
  if(DROPIN_PACKAGE)
    lq_dropin_package(${name})
  endif()
endmacro()

# Uses the variables of lq_dropin.
macro(lq_dropin_package name)
  set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/${DROPIN_PACKAGE})
  lq_install(EXPORT ${DROPIN_PACKAGE}Targets NAMESPACE ${DROPIN_PACKAGE}:: DESTINATION ${package_folder})
  set(DROPIN_NAME ${name})
  set(DROPIN_NEEDS_MPI OFF)
  if("MPI::MPI_C" IN_LIST DROPIN_LIBRARIES)
    set(DROPIN_NEEDS_MPI ON)
  endif()
  configure_package_config_file(${LQ_DROPINS}/cmake/DropinConfig.cmake.in ${DROPIN_PACKAGE}Config.cmake
    INSTALL_DESTINATION ${package_folder})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/${DROPIN_PACKAGE}ConfigVersion.cmake
    VERSION ${DROPIN_VERSION} COMPATIBILITY ${DROPIN_COMPATIBILITY})
  lq_install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${DROPIN_PACKAGE}Config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/${DROPIN_PACKAGE}ConfigVersion.cmake DESTINATION ${package_folder})

  file(RELATIVE_PATH LQ_PKGCONFIG_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  set(DROPIN_CFLAGS "")
  foreach(folder ${DROPIN_FOLDERS})
    string(APPEND DROPIN_CFLAGS " -I\${prefix}/${folder}")
  endforeach()
  foreach(definition ${DROPIN_DEFINITIONS})
    string(APPEND DROPIN_CFLAGS " -D${definition}")
  endforeach()
  set(DROPIN_PRIVATE_LIBS "")
  foreach(library ${DROPIN_LIBRARIES} ${LQ_DROPIN_LINK_NAMES})
    if(library MATCHES "::")
      continue()  # MPI, which is its compiler's business
    endif()
    string(APPEND DROPIN_PRIVATE_LIBS " -l${library}")
  endforeach()
  configure_file(${LQ_DROPINS}/cmake/dropin.pc.in ${name}.pc @ONLY)
  lq_install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endmacro()
