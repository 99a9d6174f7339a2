// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arithmetic that files depend on: as IEEE 754 has it, whatever the program that calls us has set for itself (numbers
// near zero taken for zero by -ffast-math, another rounding, traps).
#pragma once

#ifdef __SSE2__
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace lq::base {

// As long as it lives, the floating-point environment of this thread is that of the start of a program. Costs a few
// cycles where that is so already. On x86 the C library's functions, which are in a library of their own, are done
// without: numbers of the processor's older registers are not used here.
class DefaultFloatEnvironment {
 public:
#ifdef __SSE2__
  DefaultFloatEnvironment() noexcept : before_(_mm_getcsr()) {
    if ((before_ & ~flags) != traps_masked) set(traps_masked);
  }
  ~DefaultFloatEnvironment() {
    if ((before_ & ~flags) != traps_masked) set(before_);
  }
#else
  DefaultFloatEnvironment() noexcept {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#ifdef __SSE2__
  static constexpr unsigned flags = 0x3f, traps_masked = 0x1f80;

  // No arithmetic moves from one side to the other.
  static void set(unsigned mode) noexcept {
    asm volatile("" ::: "memory");
    _mm_setcsr(mode);
    asm volatile("" ::: "memory");
  }

  unsigned before_;
#else
  std::fenv_t before_;
#endif
};

}  // namespace lq::base
