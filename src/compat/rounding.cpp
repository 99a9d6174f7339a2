// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C++ library sets the rounding mode while it parses a number, by functions of libm, which a C program need not
// link. One that does not cannot have changed the mode, so the archives of the drop-ins ask libm only where it is. The
// names are those of the linker's option --wrap (cmake/Dropins.cmake).
#include <cfenv>

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier)
[[gnu::weak]] int __real_fegetround(void) noexcept;
[[gnu::weak]] int __real_fesetround(int mode) noexcept;
int __wrap_fegetround(void) noexcept;
int __wrap_fesetround(int mode) noexcept;

int __wrap_fegetround(void) noexcept { return __real_fegetround != nullptr ? __real_fegetround() : FE_TONEAREST; }
int __wrap_fesetround(int mode) noexcept { return __real_fesetround != nullptr ? __real_fesetround(mode) : 1; }
// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"
