// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sum of doubles that does not depend on the order of its terms: each term is rounded once to a fixed grid
// (2^-40) and summed in integers, which ranks combine with plain integer additions. For terms below 2^22 in size.
#pragma once

#include <array>
#include <cstdint>

namespace lq::base {

class ExactSum {
 public:
  void add(double term) noexcept;  // NaN and infinities are counted, not added
  void add(const ExactSum& other) noexcept;
  double value() const noexcept;  // NaN if any term was not finite

  // For reduction: words that are summed element by element (as unsigned integers modulo 2^64) over the ranks;
  // right for up to 2^31 ranks.
  static constexpr std::size_t word_count = 4;
  std::array<std::uint64_t, word_count> words() const noexcept;
  static ExactSum from_words(const std::array<std::uint64_t, word_count>& words) noexcept;

 private:
  __extension__ using Wide = __int128;
  Wide total_ = 0;
  std::uint64_t not_finite_ = 0;
};

}  // namespace lq::base
