// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that is wanted next, so that it can be fetched into the cache while something else is worked on.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lq::base {

// Pieces of this many bytes, one for each site: at `piece` + place * `number_bytes`; a place below 0 is none. Addresses
// are integers, because they need not be of one array. Sites are taken off at the front as they are fetched.
struct PrefetchList {
  uintptr_t piece = 0;
  size_t bytes = 0, number_bytes = 0;
  const int64_t* places = nullptr;
  size_t sites = 0;
};

}  // namespace lq::base
