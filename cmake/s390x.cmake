# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Toolchain: cross-compiling for s390x, a big-endian processor, on Debian. Programs are static, because the dynamic loader
# of s390x fails under the emulator of Debian 12. Used by `./dev test --arch s390x`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(LIMEQUAT_STATIC_LIBRARIES ON)
set(BUILD_SHARED_LIBS OFF CACHE BOOL "Build shared libraries")
