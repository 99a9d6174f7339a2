// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields and ranks for tests of physics: a lattice known as a whole, dealt out over a grid.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

#include "lattice/site_order.hpp"
#include "physics/naive.hpp"
#include "support/thread_comm.hpp"

namespace lq::testing {

// A lattice over a process grid; more ranks than the process grid has stay idle.
struct Split {
  int ranks = 1;
  Extents processes;
};

inline void on_split(const Extents& extents, const Split& split, const std::function<void(const Grid&)>& body) {
  run_ranks(split.ranks, [&](std::shared_ptr<comm::Comm> comm) {
    body(Grid(Communicator(std::move(comm)), extents, {.processes = split.processes, .idle_ranks = true}));
  });
}

// Calls visit(number in local memory of that order, number in the whole lattice) for the local sites.
template <class Visit>
void for_each_local_site(const Grid& grid, const SiteOrder& order, const Visit& visit) {
  const SiteOrder resolved = lattice::resolve_order(order, grid.extents().size());
  for (std::uint64_t local = 0; local < grid.local_volume(); ++local) {
    const Coord x = lattice::site_at(local, grid.local_box(), resolved);
    visit(static_cast<std::size_t>(local), static_cast<std::size_t>(lattice::site_rank(x, grid.extents())));
  }
}

// This rank's links, as float or double.
template <class T>
std::vector<std::complex<T>> local_links(const Grid& grid, const naive::Lattice& lattice, const SiteOrder& order = {}) {
  const std::size_t per_site = lattice.links.size() / lattice.sites;
  std::vector<std::complex<T>> links(static_cast<std::size_t>(grid.local_volume()) * per_site);
  for_each_local_site(grid, order, [&](std::size_t local, std::size_t site) {
    for (std::size_t i = 0; i < per_site; ++i) {
      links[local * per_site + i] = std::complex<T>(lattice.links[site * per_site + i]);
    }
  });
  return links;
}

}  // namespace lq::testing
