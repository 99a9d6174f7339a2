// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same loops once more for processors with wide vectors and shifts by any amount: a function that is marked takes
// what it calls into itself. Both give the same bits, for nothing is contracted or reordered.
#pragma once

#include <cstdlib>
#include <string_view>

#include "base/processor.hpp"

#if defined(LQ_X86_64)
#define LQ_WIDE [[gnu::target("avx2,bmi,bmi2"), gnu::flatten]]

namespace lq::archive {

// LQ_FORCE_ISA=portable keeps to what every processor has.
inline bool is_wide() noexcept {
  static const bool result = [] {
    const char* const forced = std::getenv("LQ_FORCE_ISA");
    return !(forced != nullptr && std::string_view(forced) == "portable") && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  }();
  return result;
}

}  // namespace lq::archive
#endif
