// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arithmetic that files depend on follows IEEE 754, whatever the calling program has set for itself (flushing denormals
// to zero by -ffast-math, another rounding mode, traps).
#pragma once

#ifdef __SSE2__
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace lq::base {

// While it exists, this thread has the floating-point environment of a program start. Costs a few cycles if that is
// already set. On x86 the functions of the C library are avoided, because they are in a separate library: the older
// registers of the processor, which they also set, are not used here.
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

  // The compiler moves no arithmetic across it.
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
