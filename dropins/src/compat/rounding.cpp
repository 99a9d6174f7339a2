// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the C++ library and fmt ask of libm, which a C program need not link. The rounding mode, set while a number is
// parsed: one who does not link it cannot have changed the mode, so the archives of the drop-ins ask libm only where it
// is. ceil, called where the compiler has no instruction of its own for it. The names are those of the linker's option
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
