// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs set for their arithmetic: other roundings, and numbers near zero taken for zero (-ffast-math).
#pragma once

#include <gtest/gtest.h>

#include <cfenv>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace lq::testing {

// Calls work() in each of them, and expects that it leaves them as they are.
template <class Work>
void in_every_float_mode(const Work& work) {
  std::fenv_t before;
  std::fegetenv(&before);
  for (const int rounding : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
    std::fesetround(rounding);
    work();
    const int after = std::fegetround();
    std::fesetenv(&before);
    EXPECT_EQ(after, rounding);
  }
#ifdef __SSE2__
  constexpr unsigned flush_to_zero = 0x8000, denormals_are_zeros = 0x40;
  _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zeros);
  work();
  const unsigned after = _mm_getcsr();
  std::fesetenv(&before);
  EXPECT_EQ(after & (flush_to_zero | denormals_are_zeros), flush_to_zero | denormals_are_zeros);
#endif
}

}  // namespace lq::testing
