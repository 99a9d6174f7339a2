// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/site_sums.hpp"

#include "layouts/rows.hpp"
#include "threads/thread_count.hpp"

namespace lq::physics {

int threads_for(const Grid& grid, const Field& field, int wanted) {
  const std::uint64_t bytes = grid.volume() * field.spec.numbers * sizeof(double);
  const int threads = threads::thread_count(grid.communicator().engine(), wanted, bytes);
  return layouts::has_function(field) ? 1 : threads;
}

}  // namespace lq::physics
