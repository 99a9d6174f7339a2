// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processors whose instructions are used by name. LQ_PORTABLE_KERNELS (the build option LIMEQUAT_PORTABLE_KERNELS)
// leaves C++ alone, for compilers that have neither these instructions nor vector types as GCC and clang do.
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

// Memory that is wanted next, so that it can be fetched into the cache while something else is worked on.

// Pieces of this many bytes, one for each site: at `piece` + place * `number_bytes`; a place below 0 is none. Addresses
// are integers, because they need not be of one array. Sites are taken off at the front as they are fetched.
struct PrefetchList {
  uintptr_t piece = 0;
  size_t bytes = 0, number_bytes = 0;
  const int64_t* places = nullptr;
  size_t sites = 0;
};

}  // namespace lq::base
