// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sum of doubles that does not depend on the order of its terms: each term is rounded once to a fixed grid
// (2^-40) and summed in integers, which ranks combine with plain integer additions. For up to 2^64 terms below
// 2^22 in size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lq::base {

class ExactSum {
 public:
  void add(double term) noexcept;  // NaN, infinities and terms of 2^22 and above are counted, not added
  void add(const ExactSum& other) noexcept;
  // Adds steps of the grid that were counted elsewhere, in units of 2^30 steps and of one: whole numbers below 2^62.
  void add_steps(double high, double low) noexcept {
    // By way of 64 bits, which one instruction converts.
    total_ += static_cast<Wide>(static_cast<std::int64_t>(high)) * (1 << 30) + static_cast<std::int64_t>(low);
  }
  double value() const noexcept;  // rounded once; NaN if any term was not added

  // For reduction: words that are summed element by element (as unsigned integers modulo 2^64) over the ranks;
  // exact for up to 2^32 ranks.
  static constexpr std::size_t word_count = 4;
  std::array<std::uint64_t, word_count> words() const noexcept;
  static ExactSum from_words(const std::array<std::uint64_t, word_count>& words) noexcept;

 private:
  __extension__ using Wide = __int128;
  Wide total_ = 0;
  std::uint64_t unusable_ = 0;
};

}  // namespace lq::base
