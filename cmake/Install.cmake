# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs bin, lib, include, lib/cmake, lib/pkgconfig, lib/python, share/man, share/doc and shell completion. The
# installed tree can be moved.

include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Limequat)

# Libraries, and the targets Limequat::limequat, Limequat::mpi and those of the components for other projects.
lq_install(TARGETS limequat EXPORT LimequatTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(NOT BUILD_SHARED_LIBS)
  # Programs that link a static library also link its dependencies.
  foreach(part ISAL LIBDEFLATE LZ4 ZSTD)
    if(LQ_HAVE_${part})
      lq_install(TARGETS lq_${part} EXPORT LimequatTargets)
    endif()
  endforeach()
  foreach(part HDF5:hdf5 SQLITE:ensemble)
    string(REPLACE ":" ";" part ${part})
    list(POP_BACK part component)
    if(LQ_HAVE_${part})
      lq_install(TARGETS lq_${part} EXPORT Limequat_${component}Targets)
    endif()
  endforeach()
endif()
# A component may be missing, so its targets are in a separate file.
foreach(component ${LQ_COMPONENTS})
  lq_install(TARGETS limequat_${component} EXPORT Limequat_${component}Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  lq_install(EXPORT Limequat_${component}Targets NAMESPACE Limequat:: DESTINATION ${config_folder})
endforeach()
lq_install(EXPORT LimequatTargets NAMESPACE Limequat:: DESTINATION ${config_folder})
if(TARGET limequat_mpi)
  lq_install(TARGETS limequat_mpi EXPORT LimequatMpiTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  lq_install(EXPORT LimequatMpiTargets NAMESPACE Limequat:: DESTINATION ${config_folder})
endif()
if(TARGET limequat_fortran)
  lq_install(EXPORT LimequatFortranTargets NAMESPACE Limequat:: DESTINATION ${config_folder})
endif()

# Programs.
foreach(program lq lq-mpi)
  if(TARGET ${program})
    lq_install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

# Headers; those for MPI only if limequat_mpi is built.
set(without_mpi)
if(NOT TARGET limequat_mpi)
  set(without_mpi PATTERN mpi.hpp EXCLUDE PATTERN cxx17_mpi.hpp EXCLUDE PATTERN limequat_mpi.h EXCLUDE)
endif()
lq_install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.hpp PATTERN *.h ${without_mpi})

# For find_package.
set(LQ_INSTALLED_WITH_MPI OFF)
if(TARGET limequat_mpi)
  set(LQ_INSTALLED_WITH_MPI ON)
endif()
set(LQ_INSTALLED_WITH_FORTRAN OFF)
if(TARGET limequat_fortran)
  set(LQ_INSTALLED_WITH_FORTRAN ON)
endif()
configure_package_config_file(cmake/LimequatConfig.cmake.in LimequatConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(LimequatConfigVersion.cmake COMPATIBILITY SameMajorVersion)
lq_install(FILES ${PROJECT_BINARY_DIR}/LimequatConfig.cmake ${PROJECT_BINARY_DIR}/LimequatConfigVersion.cmake
  DESTINATION ${config_folder})

# Internals, which are not installed by default (dropins/README.md): objects and headers of the rooms, sources that the
# drop-ins compile themselves, and CMake modules.
if(LIMEQUAT_INSTALL AND NOT LIMEQUAT_CORE)
  set(internals ${CMAKE_INSTALL_LIBDIR}/limequat/internals)
  set(internals_only COMPONENT internals EXCLUDE_FROM_ALL)
  # Objects of an earlier build would be mistaken for objects of this one.
  install(CODE "file(REMOVE_RECURSE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${internals}\")" ${internals_only})
  set(needed)
  set(LQ_INSTALLED_ROOMS "")
  foreach(room ${LQ_CORE_ROOMS} mpi)
    if(TARGET lq_${room})
      install(TARGETS lq_${room} OBJECTS DESTINATION ${internals} ${internals_only})
      get_property(closure GLOBAL PROPERTY LQ_ROOM_${room}_CLOSURE)
      get_property(libraries GLOBAL PROPERTY LQ_ROOM_${room}_LIBRARIES)
      list(APPEND needed ${libraries})
      string(APPEND LQ_INSTALLED_ROOMS "lq_installed_room(${room} \"${closure}\" \"${libraries}\")\n")
    endif()
  endforeach()
  set(LQ_INSTALLED_PARTS "")
  foreach(part ISAL LIBDEFLATE LZ4 ZSTD)
    set(with OFF)
    if(lq_${part} IN_LIST needed)
      set(with ON)
    endif()
    string(APPEND LQ_INSTALLED_PARTS "set(LQ_WITH_${part} ${with} CACHE STRING \"As Limequat was built\")\n")
  endforeach()
  set(LQ_INSTALLED_MPI none)
  if(LQ_HAVE_MPI)
    set(LQ_INSTALLED_MPI ${LIMEQUAT_MPI})
  endif()
  if(LQ_COPIED)
    string(APPEND LQ_INSTALLED_PARTS "set(LIMEQUAT_THIRD_PARTY ON CACHE STRING \"As Limequat was built\")\n")
    install(DIRECTORY third_party DESTINATION ${internals} ${internals_only})
  endif()
  configure_file(cmake/Internals.cmake.in Internals.cmake @ONLY)
  install(DIRECTORY src include DESTINATION ${internals} ${internals_only}
    FILES_MATCHING PATTERN *.hpp PATTERN *.h PATTERN kernels/crc32.cpp PATTERN mpi/mpiio_storage.cpp)
  install(FILES ${PROJECT_BINARY_DIR}/Internals.cmake cmake/Dependencies.cmake cmake/Fortran.cmake cmake/Options.cmake
    cmake/Rooms.cmake DESTINATION ${internals}/cmake ${internals_only})
endif()

# For pkg-config. The prefix is determined from the location of the file.
file(RELATIVE_PATH LQ_PKGCONFIG_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(LQ_PKGCONFIG_PRIVATE_LIBS "")
set(LQ_PKGCONFIG_PRIVATE_LIBS_hdf5 "")
set(LQ_PKGCONFIG_PRIVATE_LIBS_ensemble "")
set(LQ_PKGCONFIG_KEEP_hdf5 "")
if(NOT BUILD_SHARED_LIBS)
  set(LQ_PKGCONFIG_PRIVATE_LIBS "-Wl,--undefined=lq_format_squeezed -lpugixml -lpthread -lstdc++")
  foreach(part ISAL LIBDEFLATE LZ4 ZSTD)
    if(LQ_HAVE_${part})
      string(APPEND LQ_PKGCONFIG_PRIVATE_LIBS " ${LQ_${part}_LIBRARY}")
    endif()
  endforeach()
  set(LQ_PKGCONFIG_KEEP_hdf5 "-Wl,--undefined=lq_format_hdf5 ")
  if(LQ_HAVE_HDF5)
    set(LQ_PKGCONFIG_PRIVATE_LIBS_hdf5 ${LQ_HDF5_LIBRARY})
  endif()
  if(LQ_HAVE_SQLITE)
    set(LQ_PKGCONFIG_PRIVATE_LIBS_ensemble ${LQ_SQLITE_LIBRARY})
  endif()
endif()
foreach(component ${LQ_COMPONENTS})
  set(LQ_PKGCONFIG_COMPONENT ${component})
  set(LQ_PKGCONFIG_COMPONENT_LIBS "${LQ_PKGCONFIG_KEEP_${component}}-llimequat_${component}")
  set(LQ_PKGCONFIG_COMPONENT_PRIVATE_LIBS "${LQ_PKGCONFIG_PRIVATE_LIBS_${component}}")
  configure_file(cmake/limequat_component.pc.in limequat_${component}.pc @ONLY)
  lq_install(FILES ${PROJECT_BINARY_DIR}/limequat_${component}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
set(pkgconfig_files limequat)
if(TARGET limequat_mpi)
  list(APPEND pkgconfig_files limequat_mpi)
  set(LQ_PKGCONFIG_MPI_CFLAGS "")
  foreach(folder ${MPI_C_INCLUDE_DIRS})
    string(APPEND LQ_PKGCONFIG_MPI_CFLAGS " -I${folder}")
  endforeach()
  string(REPLACE ";" " " LQ_PKGCONFIG_MPI_LIBS "${MPI_C_LIBRARIES}")
endif()
if(TARGET limequat_fortran)
  list(APPEND pkgconfig_files limequat_fortran)
endif()
foreach(name ${pkgconfig_files})
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  lq_install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The Python package, which uses the C library of this installation.
lq_install(DIRECTORY python/limequat DESTINATION lib/python FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed
  PATTERN __pycache__ EXCLUDE)
# The metadata of a wheel, without which xarray does not find the engine.
file(STRINGS python/pyproject.toml engine REGEX "limequat\\.xarray_backend")
string(REPLACE "\"" "" engine "${engine}")
set(python_facts ${PROJECT_BINARY_DIR}/limequat-${PROJECT_VERSION}.dist-info)
file(WRITE ${python_facts}/METADATA "Metadata-Version: 2.1\nName: limequat\nVersion: ${PROJECT_VERSION}\n")
file(WRITE ${python_facts}/entry_points.txt "[xarray.backends]\n${engine}\n")
lq_install(DIRECTORY ${python_facts} DESTINATION lib/python)

# Pages.
set(doc_folder ${CMAKE_INSTALL_DATAROOTDIR}/doc/limequat)
lq_install(DIRECTORY machines DESTINATION ${CMAKE_INSTALL_DATADIR}/limequat FILES_MATCHING PATTERN *.toml)
lq_install(FILES README.md ARCHITECTURE.md CHANGELOG.md LICENSE DESTINATION ${doc_folder})
lq_install(DIRECTORY docs/ DESTINATION ${doc_folder}
  FILES_MATCHING PATTERN *.md PATTERN _build EXCLUDE PATTERN man EXCLUDE)
lq_install(DIRECTORY examples DESTINATION ${doc_folder}
  FILES_MATCHING PATTERN *.[ch]pp PATTERN *.c PATTERN *.f90 PATTERN *.py PATTERN *.ipynb PATTERN *.sh PATTERN __pycache__ EXCLUDE)
