// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of libm that the C++ library and fmt need, because a C program need not link libm. The rounding mode, set
// while a number is parsed: a program without libm cannot have changed it, so archives of the drop-ins use libm only
// if it is present. ceil, called if the compiler has no instruction for it. The names are those of the linker's option
// --wrap (dropins/cmake/MakeAlone.cmake).
#include <cfenv>
#include <cstdint>

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier)
[[gnu::weak]] int __real_fegetround(void) noexcept;
[[gnu::weak]] int __real_fesetround(int mode) noexcept;
int __wrap_fegetround(void) noexcept;
int __wrap_fesetround(int mode) noexcept;
double __wrap_ceil(double x) noexcept;

int __wrap_fegetround(void) noexcept { return __real_fegetround != nullptr ? __real_fegetround() : FE_TONEAREST; }
int __wrap_fesetround(int mode) noexcept { return __real_fesetround != nullptr ? __real_fesetround(mode) : 1; }
double __wrap_ceil(double x) noexcept {
  constexpr double all_whole = 4503599627370496.0;  // from 2^52 on
  if (!(x > -all_whole && x < all_whole)) return x;
  const auto toward_zero = static_cast<double>(static_cast<std::int64_t>(x));
  return toward_zero < x ? toward_zero + 1 : toward_zero;
}
// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"
