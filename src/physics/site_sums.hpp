// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over the local sites of a field, each thread's own and then all of them. They are exact (lattice_sum.hpp) or of
// whole numbers, so that how many threads there were does not show.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

#include "comm/agree.hpp"
#include "comm/team.hpp"
#include "lattice/tiles.hpp"
#include "physics/site_stream.hpp"

namespace lq::physics {

// Collective. How many threads walk over the sites of a field, of which a rank wants so many; a function of the
// caller's is called by his own thread alone.
int threads_for(const Grid& grid, const Field& field, int wanted);

// Local. take(thread, site, numbers) for all local sites, a stretch of them for each thread.
template <class Take>
void for_each_site(const Grid& grid, const Field& field, comm::Team& team, const Take& take) {
  team.run([&](int thread) {
    const lattice::Share mine = lattice::share_of(grid.local_volume(), static_cast<std::uint64_t>(team.size()),
                                                  static_cast<std::uint64_t>(thread));
    if (mine.begin == mine.end) return;
    SiteStream(grid, field).for_each(mine.begin, mine.end, [&](std::uint64_t site, std::span<const double> numbers) {
      take(thread, site, numbers);
    });
  });
}

// Collective. The same. If it or the field's function throws, all ranks throw.
template <class Take>
void share_sites(const Grid& grid, const Field& field, comm::Team& team, const Take& take) {
  comm::agree(grid.communicator().engine(), [&] { for_each_site(grid, field, team, take); });
}

// Collective. Of this rank: what add(sum, site, numbers) makes of `empty` with all local sites. Sums are added by
// Sum::add(). Failures as above.
template <class Sum, class Add>
Sum sum_of_sites(const Grid& grid, const Field& field, comm::Team& team, const Sum& empty, const Add& add) {
  struct alignas(64) Own {  // no cache line is written to by two threads
    Sum sum;
  };
  return comm::agree(grid.communicator().engine(), [&] {
    std::vector<Own> sums(static_cast<std::size_t>(team.size()), Own{empty});
    for_each_site(grid, field, team, [&](int thread, std::uint64_t site, std::span<const double> numbers) {
      add(sums[static_cast<std::size_t>(thread)].sum, site, numbers);
    });
    for (std::size_t i = 1; i < sums.size(); ++i) sums.front().sum.add(sums[i].sum);
    return std::move(sums.front().sum);
  });
}

}  // namespace lq::physics
