// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs share that measure from outside the library, or parts of it: times, medians, and ways that take turns.
// Those inside `lq bench` have bench/rounds.hpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

// Of one value at least; the upper one of two in the middle.
inline double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// Local.
template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Collective. From when all ranks begin: the time of the slowest.
template <class Ranks, class Work>
double seconds_of(const Ranks& ranks, const Work& work) {
  ranks.barrier();
  return ranks.max(seconds_of(work));
}

// measure(way, counts) for each way in each round, beginning with another one each time. The first round does not
// count: it pays for page tables and compilers.
template <class Way, class Measure>
void in_turn(std::vector<Way>& ways, int rounds, const Measure& measure) {
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      measure(ways[(i + static_cast<std::size_t>(round)) % ways.size()], round > 0);
    }
  }
}
