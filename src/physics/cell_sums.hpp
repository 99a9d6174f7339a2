// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Work on the local cells of a rank, distributed over its threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interruption.hpp"
#include "comm/team.hpp"
#include "lattice/tiles.hpp"

namespace lq::physics {

// Local. work(thread, begin, end) for ranges of the cells of each thread, in order. Throws if the call is interrupted.
template <class Work>
void share_cells(std::size_t cells, comm::Team& team, const Work& work) {
  team.run([&](int thread) {
    const lattice::Share mine =
        lattice::share_of(cells, static_cast<std::uint64_t>(team.size()), static_cast<std::uint64_t>(thread));
    constexpr std::uint64_t most = 256;
    for (std::uint64_t begin = mine.begin; begin < mine.end && !base::is_interrupted(); begin += most) {
      work(thread, static_cast<std::size_t>(begin), static_cast<std::size_t>(std::min(begin + most, mine.end)));
    }
  });
  base::throw_if_interrupted();
}

// Local. The total of empty sums after add(sum, begin, end).
template <class Sum, class Add>
Sum sum_of_cells(std::size_t cells, comm::Team& team, const Add& add) {
  std::vector<Sum> of_threads(static_cast<std::size_t>(team.size()));
  share_cells(cells, team, [&](int thread, std::size_t begin, std::size_t end) {
    add(of_threads[static_cast<std::size_t>(thread)], begin, end);
  });
  for (std::size_t i = 1; i < of_threads.size(); ++i) of_threads.front().add(of_threads[i]);
  return of_threads.front();
}

}  // namespace lq::physics
