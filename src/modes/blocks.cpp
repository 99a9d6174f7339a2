// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/blocks.hpp"

#include "comm/agree.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"

namespace lq::modes {
namespace {

GridOptions dealing_of(const Grid& grid, const Extents& blocks) {
  const Extents& processes = grid.processes();
  bool divides = true;
  for (int d = 0; d < blocks.size(); ++d) divides = divides && blocks[d] % processes[d] == 0;
  GridOptions options;
  if (divides) {
    const lattice::Decomposition& dealt = grid.decomposition();
    options.processes = processes;
    if (dealt.holders().empty()) {
      options.rank_order = dealt.rank_order();
    } else {
      options.ranks.resize(dealt.holders().size());
      for (std::size_t i = 0; i < options.ranks.size(); ++i) {
        options.ranks[i] = dealt.rank_at(lattice::site_of_rank(i, processes));
      }
    }
  }
  options.idle_ranks = true;
  return options;
}

}  // namespace

Grid grid_of_blocks(const Grid& grid, const Description& description) {
  const Extents blocks = description.blocks();
  comm::Comm& comm = grid.communicator().engine();
  return Grid(grid.communicator(), blocks, comm::agree_alike(comm, [&] { return dealing_of(grid, blocks); }));
}

std::vector<Coord> list_of(const Box& box) {
  const SiteOrder order = lattice::resolve_order({}, box.extents.size());
  std::vector<Coord> sites(static_cast<std::size_t>(box.volume()));
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = lattice::site_at(i, box, order);
  return sites;
}

}  // namespace lq::modes
