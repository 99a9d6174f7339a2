// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arithmetic that files depend on: as IEEE 754 has it, whatever the program that calls us has set for itself (numbers
// near zero taken for zero by -ffast-math, another rounding, traps).
#pragma once

#include <cfenv>

namespace lq::base {

// As long as it lives, the floating-point environment of this thread is that of the start of a program.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() noexcept {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace lq::base
