// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The process grid when the user gives none. Prime factors of the number of ranks are dealt out one by one,
// the largest first; each goes where the local extent is longest, if possible where it divides that extent.
#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "lattice/decomposition.hpp"

namespace lq::lattice {
namespace {

std::vector<std::int64_t> prime_factors_descending(std::int64_t number) {
  std::vector<std::int64_t> factors;
  for (std::int64_t p = 2; p <= number / p; ++p) {
    for (; number % p == 0; number /= p) factors.push_back(p);
  }
  if (number > 1) factors.push_back(number);
  std::reverse(factors.begin(), factors.end());
  return factors;
}

// The longest local extent (of the largest block) decides; a later dimension wins a tie.
int dimension_to_cut(const Extents& extents, const Extents& processes, std::int64_t factor) {
  int best = -1;
  bool best_divides = false;
  std::int64_t best_extent = 0;
  for (int d = 0; d < extents.size(); ++d) {
    const bool divides = extents[d] % (processes[d] * factor) == 0;
    const std::int64_t local = (extents[d] - 1) / processes[d] + 1;
    if (best < 0 || (divides && !best_divides) || (divides == best_divides && local >= best_extent)) {
      best = d;
      best_divides = divides;
      best_extent = local;
    }
  }
  return best;
}

}  // namespace

Extents choose_processes(const Extents& extents, std::int64_t ranks) {
  if (ranks < 1) throw Error(Code::invalid_argument, fmt::format("a process grid of {} ranks was asked for", ranks));
  // Checks the extents.
  Extents processes = Decomposition(extents, Coord::filled(extents.size(), 1)).processes();
  for (const std::int64_t factor : prime_factors_descending(ranks)) {
    processes[dimension_to_cut(extents, processes, factor)] *= factor;
  }
  return processes;
}

}  // namespace lq::lattice
