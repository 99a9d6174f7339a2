// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processors whose instructions are used by name. LQ_PORTABLE_KERNELS (the build option LIMEQUAT_PORTABLE_KERNELS)
// leaves C++ alone, for compilers that have neither these instructions nor vector types as GCC and clang do.
#pragma once

#if !defined(LQ_PORTABLE_KERNELS)
#if defined(__x86_64__)
#define LQ_X86_64
#elif defined(__AARCH64EL__)
#define LQ_AARCH64
#endif
#endif
