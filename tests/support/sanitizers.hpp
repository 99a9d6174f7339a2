// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sanitizers of this build, for tests of what they do not support.
#pragma once

namespace lq::testing {

#if defined(__has_feature)  // clang
inline constexpr bool has_address_sanitizer = __has_feature(address_sanitizer);
inline constexpr bool has_thread_sanitizer = __has_feature(thread_sanitizer);
#else  // gcc
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool has_address_sanitizer = true;
#else
inline constexpr bool has_address_sanitizer = false;
#endif
#ifdef __SANITIZE_THREAD__
inline constexpr bool has_thread_sanitizer = true;
#else
inline constexpr bool has_thread_sanitizer = false;
#endif
#endif

}  // namespace lq::testing
