// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fixed point sums.
#include "base/exact_sum.hpp"

#include <cmath>
#include <limits>

namespace lq::base {
namespace {

constexpr double grid_per_one = 0x1p40;
// 2^64 terms of 2^62 grid steps each fit 127 bits.
constexpr double bound = 0x1p22;

}  // namespace

void ExactSum::add(double term) noexcept {
  if (std::abs(term) < bound) {                  // false for NaN
    total_ += std::llrint(term * grid_per_one);  // below 2^62
  } else {
    ++unusable_;
  }
}

void ExactSum::add(const ExactSum& other) noexcept {
  total_ += other.total_;
  unusable_ += other.unusable_;
}

double ExactSum::value() const noexcept {
  if (unusable_ != 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(total_) / grid_per_one;
}

// total = high * 2^64 + middle * 2^32 + low; `high` is signed (the floor), the others are below 2^32. Their sums over
// up to 2^32 ranks stay below 2^64, and the sum of `high` is exact in two's complement.
std::array<std::uint64_t, ExactSum::word_count> ExactSum::words() const noexcept {
  constexpr Wide low_half = 0xffffffff;
  return {static_cast<std::uint64_t>(total_ & low_half), static_cast<std::uint64_t>((total_ >> 32) & low_half),
          static_cast<std::uint64_t>(total_ >> 64), unusable_};
}

ExactSum ExactSum::from_words(const std::array<std::uint64_t, word_count>& words) noexcept {
  __extension__ using Unsigned = unsigned __int128;
  ExactSum sum;
  sum.total_ = static_cast<Wide>((Unsigned{words[2]} << 64) + (Unsigned{words[1]} << 32) + words[0]);
  sum.unusable_ = words[3];
  return sum;
}

}  // namespace lq::base
