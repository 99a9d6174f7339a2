// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/zero_links.hpp"

#include <algorithm>

#include "lattice/site_order.hpp"
#include "physics/site_sums.hpp"

namespace lq::physics {

ZeroLinks count_zero_links(const Grid& grid, const Field& field, int threads) {
  comm::Comm& comm = grid.communicator().engine();
  const Box& box = grid.local_box();
  const int last = box.extents.size() - 1;
  const auto of_link = static_cast<std::size_t>(field.spec.numbers / static_cast<std::uint64_t>(last + 1));
  threads::Team team(threads_for(grid, field, threads));
  ZeroLinks found = sum_of_sites(
      grid, field, team, ZeroLinks{}, [&](ZeroLinks& zeros, std::uint64_t site, std::span<const double> links) {
        for (int mu = 0; mu <= last; ++mu) {
          const auto link = links.subspan(static_cast<std::size_t>(mu) * of_link, of_link);
          if (!std::ranges::all_of(link, [](double number) { return number == 0; })) continue;
          ++zeros.all;
          const std::int64_t t = box.lower[last] + lattice::site_of_rank(site, box.extents)[last];
          if (mu == last && t + 1 == grid.extents()[last]) ++zeros.leaving_last_slice;
        }
      });
  for (std::uint64_t* count : {&found.all, &found.leaving_last_slice}) {
    comm.all_reduce({count, 1}, comm::Reduce::sum);
  }
  return found;
}

}  // namespace lq::physics
