// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grids and communicators: handles around the values of C++.
#include <algorithm>

#include "capi/handles.hpp"

using lq::capi::given;
using lq::capi::grid_of;
using lq::capi::guarded;

void lq_communicator_free(lq_communicator* communicator) { delete communicator; }

lq_status lq_grid_self(const int64_t* extents, int dimensions, lq_grid** grid) {
  return guarded([&] {
    given(grid, "grid");
    *grid = new lq_grid{lq::Grid(lq::capi::coord_of(extents, dimensions, "extents"))};
  });
}

void lq_grid_free(lq_grid* grid) { delete grid; }

int lq_grid_dimensions(const lq_grid* grid) { return grid ? grid->grid.extents().size() : 0; }
uint64_t lq_grid_volume(const lq_grid* grid) { return grid ? grid->grid.volume() : 0; }
uint64_t lq_grid_local_volume(const lq_grid* grid) { return grid ? grid->grid.local_volume() : 0; }
int lq_grid_rank(const lq_grid* grid) { return grid ? grid->grid.rank() : -1; }
int lq_grid_size(const lq_grid* grid) { return grid ? grid->grid.size() : 0; }

lq_status lq_grid_extents(const lq_grid* grid, int64_t* extents) {
  return guarded([&] { std::ranges::copy(grid_of(grid).extents(), given(extents, "extents")); });
}

lq_status lq_grid_processes(const lq_grid* grid, int64_t* processes) {
  return guarded([&] { std::ranges::copy(grid_of(grid).processes(), given(processes, "processes")); });
}

lq_status lq_grid_local_box(const lq_grid* grid, int64_t* lower, int64_t* extents) {
  return guarded([&] {
    const lq::Box& box = grid_of(grid).local_box();
    given(lower, "lower");
    given(extents, "extents");
    std::ranges::copy(box.lower, lower);
    std::ranges::copy(box.extents, extents);
  });
}
