// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sum over the lattice that is the same to the last bit however the terms are dealt out over ranks. Terms of the
// size of 1 are summed in steps of 2^-60, larger ones in steps of 2^-40.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/exact_sum.hpp"
#include "comm/terms.hpp"

namespace lq::physics {

class LatticeSum {
 public:
  // Terms beyond 2^21 count as 2^21: numbers of that size mean broken links anyhow.
  void add(double term) noexcept {
    if (std::abs(term) <= 2) {
      small_.add(term * 0x1p20);
    } else {
      large_.add(std::isfinite(term) ? std::clamp(term, -0x1p21, 0x1p21) : term);
    }
  }

  // Terms of the size of 1 that were summed before, as whole numbers of 2^-30 and of 2^-60.
  void add_small(double high, double low) noexcept { small_.add_steps(high, low); }

  void add(const LatticeSum& other) noexcept {
    small_.add(other.small_);
    large_.add(other.large_);
  }

  double value() const noexcept { return large_.value() + small_.value() * 0x1p-20; }

  static constexpr std::size_t terms = 2 * base::ExactSum::word_count;
  template <class Terms>
  void each_term(Terms&& all) {
    for (base::ExactSum* part : {&small_, &large_}) {
      auto words = part->words();
      for (std::uint64_t& word : words) all.sum(word);
      *part = base::ExactSum::from_words(words);
    }
  }

 private:
  base::ExactSum small_, large_;
};

}  // namespace lq::physics
