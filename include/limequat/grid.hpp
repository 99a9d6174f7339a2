// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A lattice distributed over the ranks of a communicator. The core does not use MPI: Communicator is a handle, which
// <limequat/mpi.hpp> makes from an MPI communicator; without it a Grid is on this process alone.
#pragma once

#include <limequat/language.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq {

namespace comm {
class Comm;
}
namespace lattice {
class Decomposition;
}

// A group of ranks; a cheap handle, copied freely. Default: this process alone.
class LQ_API Communicator {
 public:
  Communicator();
  explicit Communicator(std::shared_ptr<comm::Comm> engine);

  int rank() const noexcept;
  int size() const noexcept;
  bool is_root() const noexcept { return rank() == 0; }
  // Collective. If `failure` is set on any rank, all ranks throw the Error of the lowest such rank.
  void agree(const std::exception_ptr& failure) const;
  // Collective. Returns when all ranks have called it.
  void barrier() const;
  // Collective. Returns the maximum over all ranks, on every rank.
  double max(double number) const;
  comm::Comm& engine() const noexcept { return *engine_; }

 private:
  std::shared_ptr<comm::Comm> engine_;
};

struct GridOptions {
  // Ranks in each dimension, x, y, z, t; chosen if not given.
  std::optional<Extents> processes = {};
  // Dimensions in which consecutive ranks advance, fastest first; empty: x first. A Cartesian MPI
  // communicator numbers its last dimension fastest, which is {3, 2, 1, 0}.
  SiteOrder rank_order = {};
  // Instead of an order: the rank at each place of the process grid, x fastest, the same on all ranks. Ranks that are
  // not named hold nothing (idle_ranks). Needs `processes`.
  std::vector<int> ranks = {};
  // Instead of a table: this rank's own place in the process grid, x, y, z, t. Given by every rank that holds sites, or
  // by none. Needs `processes`.
  std::optional<Coord> coordinates = {};
  // Allow a process grid smaller than the communicator; the surplus ranks hold nothing.
  bool idle_ranks = false;
  // May differ between ranks: false on a rank that holds no sites. The grid spans the others.
  bool holds_sites = true;
};

class LQ_API Grid {
 public:
  // Local. The whole lattice on this process.
  explicit Grid(const Extents& extents);
  // Collective. Extents that the process grid does not divide are distributed as evenly as possible.
  // invalid_argument: extents below 1, process grid and communicator of different size, ranks or coordinates that do
  // not put exactly one rank at each place of the process grid, or contradict another option;
  // ranks_disagree: arguments differ between ranks.
  Grid(const Communicator& communicator, const Extents& extents, const GridOptions& options = {});

  const Extents& extents() const noexcept;    // global lattice
  const Extents& processes() const noexcept;  // process grid
  std::uint64_t volume() const noexcept;      // sites of the global lattice
  const Box& local_box() const noexcept;      // this rank's sites, in global coordinates
  std::uint64_t local_volume() const noexcept;
  int rank() const noexcept { return communicator_.rank(); }
  int size() const noexcept { return communicator_.size(); }
  bool is_root() const noexcept { return communicator_.is_root(); }

  const Communicator& communicator() const noexcept { return communicator_; }
  const lattice::Decomposition& decomposition() const noexcept { return *decomposition_; }

 private:
  Communicator communicator_;
  std::shared_ptr<const lattice::Decomposition> decomposition_;
  Box local_box_;
};

}  // namespace lq
