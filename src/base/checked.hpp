// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 64-bit arithmetic that detects overflow, for sizes that come from files and callers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/inner.hpp"

namespace lq::base {

inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<std::uint64_t> checked_multiply(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// The same, throwing Error(too_large) that names `what`.
LQ_INNER std::uint64_t add_or_throw(std::uint64_t a, std::uint64_t b, std::string_view what);
LQ_INNER std::uint64_t multiply_or_throw(std::uint64_t a, std::uint64_t b, std::string_view what);

}  // namespace lq::base
