// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of sites per rank and the rank of a site, both in closed form without loops over ranks.
#include "lattice/decomposition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "lattice/site_order.hpp"

namespace lq::lattice {

// The process grid if the user gives none. The prime factors of the number of ranks are distributed one by one, the
// largest first, each to the dimension with the longest local extent, preferably one that it divides.

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

// The longest local extent (of the largest block) decides; on a tie the later dimension.
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
  if (ranks < 1) base::fail(Code::invalid_argument, {}, "a process grid of {} ranks was requested", ranks);
  // Checks the extents.
  Extents processes = Decomposition(extents, Coord::filled(extents.size(), 1)).processes();
  for (const std::int64_t factor : prime_factors_descending(ranks)) {
    processes[dimension_to_cut(extents, processes, factor)] *= factor;
  }
  return processes;
}

namespace {

void require_positive(const Extents& extents, const char* what) {
  const bool positive = std::all_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent >= 1; });
  if (positive && extents.size() > 0) return;
  const std::string expected = "extents of 1 and up in 1 to 8 dimensions", found = to_string(extents);
  base::fail(Code::invalid_argument, {.expected = expected, .found = found}, "{} \"{}\": expected {}", what, found,
             expected);
}

std::vector<int> sorted_positions(const std::vector<int>& holders, const Extents& processes, const SiteOrder& order) {
  std::vector<int> positions(holders.size());
  std::iota(positions.begin(), positions.end(), 0);
  const auto rank_at = [&](int position) { return holders[static_cast<std::size_t>(position)]; };
  std::ranges::sort(positions, {}, rank_at);
  const auto place = [&](int position) {
    return site_text(site_at(static_cast<std::uint64_t>(position), whole(processes), order));
  };
  if (!positions.empty() && rank_at(positions.front()) < 0) {
    base::fail(Code::invalid_argument, {}, "rank {} is at place {} of process grid {}; ranks are numbered from 0",
               rank_at(positions.front()), place(positions.front()), to_string(processes));
  }
  const auto twice = std::ranges::adjacent_find(positions, {}, rank_at);
  if (twice != positions.end()) {
    const auto [first, second] = std::minmax(twice[0], twice[1]);
    base::fail(Code::invalid_argument, {},
               "rank {} is at two places of process grid {}, {} and {}; give each place a rank of its own",
               rank_at(first), to_string(processes), place(first), place(second));
  }
  return positions;
}

}  // namespace

Block block_of(std::int64_t extent, std::int64_t blocks, std::int64_t index) noexcept {
  const std::int64_t least = extent / blocks;
  const std::int64_t larger = extent % blocks;  // this number of blocks has one additional site
  return {index * least + std::min(index, larger), least + (index < larger ? 1 : 0)};
}

std::int64_t block_index(std::int64_t extent, std::int64_t blocks, std::int64_t x) noexcept {
  const std::int64_t least = extent / blocks;
  const std::int64_t larger = extent % blocks;
  const std::int64_t boundary = larger * (least + 1);
  return x < boundary ? x / (least + 1) : larger + (x - boundary) / least;
}

Decomposition::Decomposition(const Extents& extents, const Extents& processes, const SiteOrder& rank_order,
                             std::vector<int> holders)
    : extents_(extents), processes_(processes), holders_(std::move(holders)) {
  require_positive(extents, "lattice");
  require_positive(processes, "process grid");
  if (extents.size() != processes.size()) {
    base::fail(Code::invalid_argument, {},
               "process grid {} has {} dimensions, lattice {} has {}; give one number of ranks per dimension",
               to_string(processes), processes.size(), to_string(extents), extents.size());
  }
  rank_order_ = resolve_order(rank_order, extents.size());
  volume_ = lq::volume(extents);
  ranks_ = lq::volume(processes);
  if (ranks_ > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    base::fail(Code::invalid_argument, {}, "process grid {} needs {} ranks; ranks end at 2^31 - 1",
               to_string(processes), ranks_);
  }
  if (!holders_.empty() && holders_.size() != ranks_) {
    base::fail(Code::invalid_argument, {}, "process grid {} needs {} ranks, but {} hold sites", to_string(processes),
               ranks_, holders_.size());
  }
  positions_ = sorted_positions(holders_, processes_, rank_order_);
}

Box Decomposition::box_of(int rank) const {
  const Box none = whole(Coord::filled(extents_.size(), 0));
  const std::int64_t position = position_of(rank);
  if (position < 0) return none;
  const Coord where = site_at(static_cast<std::uint64_t>(position), whole(processes_), rank_order_);
  Box box = none;
  for (int d = 0; d < extents_.size(); ++d) {
    const Block block = block_of(extents_[d], processes_[d], where[d]);
    if (block.extent == 0) return none;
    box.lower[d] = block.lower;
    box.extents[d] = block.extent;
  }
  return box;
}

int Decomposition::owner(const Coord& x) const noexcept { return rank_at(process_of(x)); }

Coord Decomposition::process_of(const Coord& x) const noexcept {
  Coord process = x;
  for (int d = 0; d < x.size(); ++d) process[d] = block_index(extents_[d], processes_[d], x[d]);
  return process;
}

int Decomposition::rank_at(const Coord& process) const noexcept {
  std::uint64_t position = 0;
  for (auto d = rank_order_.rbegin(); d != rank_order_.rend(); ++d) {
    position = position * static_cast<std::uint64_t>(processes_[*d]) + static_cast<std::uint64_t>(process[*d]);
  }
  return holders_.empty() ? static_cast<int>(position) : holders_[position];
}

void Decomposition::add_holders(const Box& box, std::vector<int>& ranks) const {
  if (box.empty()) return;
  Coord last = box.lower;
  for (int d = 0; d < last.size(); ++d) last[d] += box.extents[d] - 1;
  const Coord from = process_of(box.lower), to = process_of(last);
  Box places{from, to};
  for (int d = 0; d < last.size(); ++d) places.extents[d] += 1 - from[d];
  Coord place = from;
  do {
    ranks.push_back(rank_at(place));
  } while (advance(place, places, rank_order_));
}

std::int64_t Decomposition::position_of(int rank) const noexcept {
  if (rank < 0) return -1;
  if (holders_.empty()) return static_cast<std::uint64_t>(rank) < ranks_ ? rank : -1;
  const auto rank_there = [&](int position) { return holders_[static_cast<std::size_t>(position)]; };
  const auto found = std::ranges::lower_bound(positions_, rank, {}, rank_there);
  return found != positions_.end() && rank_there(*found) == rank ? *found : -1;
}

}  // namespace lq::lattice
