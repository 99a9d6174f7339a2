// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random choices; the same for the same seed on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <random>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::torture {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t number() { return random_(); }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool once_in(std::uint64_t n) { return below(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  // Small ones more often, up to the largest.
  std::uint64_t size_up_to(std::uint64_t largest) { return below(below(largest + 1) + 1); }

  Extents extents(int dimensions, std::int64_t largest) {
    Extents extents = Extents::filled(dimensions, 1);
    for (int d = 0; d < dimensions; ++d) extents[d] = between(1, largest);
    return extents;
  }

  SiteOrder order(int dimensions) {
    if (!once_in(3)) return {};
    SiteOrder order(static_cast<std::size_t>(dimensions));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
  }

  // A process grid of so many ranks, extents of the lattice or not.
  Extents processes(int dimensions, int ranks) {
    Extents processes = Extents::filled(dimensions, 1);
    std::int64_t left = ranks;
    while (left > 1) {
      std::int64_t factor = 2;
      while (left % factor != 0) ++factor;
      processes[static_cast<int>(below(static_cast<std::uint64_t>(dimensions)))] *= factor;
      left /= factor;
    }
    return processes;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace lq::torture
