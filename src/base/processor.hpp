// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processors whose intrinsics are used. LQ_PORTABLE_KERNELS (the build option LIMEQUAT_PORTABLE_KERNELS) restricts the
// code to standard C++, for compilers without these intrinsics or the vector types of GCC and clang.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if !defined(LQ_PORTABLE_KERNELS)
#if defined(__x86_64__)
#define LQ_X86_64
#elif defined(__AARCH64EL__)
#define LQ_AARCH64
#endif
#endif

namespace lq::base {

// Memory that is needed next, to be prefetched into the cache during other work.

// One piece of this many bytes for each site: at `piece` + place * `number_bytes`; a place below 0 means no piece.
// Addresses are integers, because pieces need not be in one array. Sites are removed from the front once fetched.
struct PrefetchList {
  uintptr_t piece = 0;
  size_t bytes = 0, number_bytes = 0;
  const int64_t* places = nullptr;
  size_t sites = 0;
};

}  // namespace lq::base
