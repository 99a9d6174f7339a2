// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/site_sums.hpp"

#include "comm/thread_count.hpp"
#include "lattice/layout_rows.hpp"

namespace lq::physics {

int threads_for(const Grid& grid, const Field& field, int wanted) {
  const std::uint64_t bytes = grid.volume() * field.spec.numbers * sizeof(double);
  const int threads = comm::thread_count(grid.communicator().engine(), wanted, bytes);
  return lattice::has_function(field) ? 1 : threads;
}

}  // namespace lq::physics
