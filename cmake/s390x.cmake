# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Toolchain: s390x, for its byte order, on another Debian machine. Programs are static: the emulator of Debian 12 does not
# get through the dynamic loader of this processor. `./dev test --arch s390x` takes it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(LIMEQUAT_STATIC_LIBRARIES ON)
set(BUILD_SHARED_LIBS OFF CACHE BOOL "Build shared libraries")
