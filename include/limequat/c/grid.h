// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lattice, distributed over ranks. Conventions: limequat.h.
#ifndef LIMEQUAT_C_GRID_H
#define LIMEQUAT_C_GRID_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lq_grid lq_grid;

// Local. The whole lattice on this process. `dimensions` is 1 to 8.
LQ_API lq_status lq_grid_self(const int64_t* extents, int dimensions, lq_grid** grid);
LQ_API void lq_grid_free(lq_grid* grid);
// Collective over the ranks of the grid: lq_communicator_agree() over them.
LQ_API lq_status lq_grid_agree(const lq_grid* grid, const lq_failure* failure);

typedef struct lq_grid_options {
  size_t struct_size;        // set by init
  const int64_t* processes;  // ranks in each dimension, or NULL: chosen
  const int* rank_order;     // dimensions in which consecutive ranks advance, fastest first, or NULL: x first
  const int* axes;           // lattice dimension d is along dimension axes[d] of a Cartesian MPI communicator
                             // (T, X, Y, Z: {1, 2, 3, 0}), or NULL: d along d; others have no axes
  int idle_ranks;            // allow a process grid smaller than the communicator; default 0
  int holds_sites;           // 0 on ranks that hold nothing; default 1
  const int* ranks;          // instead of an order: the rank at each place of the process grid, x fastest, the same on
                             // all ranks, as many as the product of `processes`; or NULL
  const int64_t* coordinates;  // instead of a table: this rank's place in the process grid, x, y, z, t, on every rank
                               // that holds sites; or NULL
} lq_grid_options;
LQ_API lq_status lq_grid_options_init(lq_grid_options* options, size_t struct_size);

// Collective over `communicator`, or NULL: this process alone. Distributes the lattice over its ranks. `processes`,
// `rank_order` and `coordinates` have `dimensions` entries; options may be NULL. `ranks` and `coordinates` need
// `processes`; ranks that have no place hold nothing (idle_ranks). LQ_INVALID_ARGUMENT on all ranks if a place has no
// rank or two, or a rank two places; LQ_RANKS_DISAGREE if a table differs. limequat_mpi.h has the same for an MPI
// communicator.
LQ_API lq_status lq_grid_create(const int64_t* extents, int dimensions, const lq_communicator* communicator,
                                const lq_grid_options* options, lq_grid** grid);

// Local.
LQ_API int lq_grid_dimensions(const lq_grid* grid);
LQ_API uint64_t lq_grid_volume(const lq_grid* grid);        // sites of the whole lattice
LQ_API uint64_t lq_grid_local_volume(const lq_grid* grid);  // sites of this rank
LQ_API int lq_grid_rank(const lq_grid* grid);
LQ_API int lq_grid_size(const lq_grid* grid);
// Local. One number per dimension: extents of the lattice, ranks in each dimension, and this rank's box.
LQ_API lq_status lq_grid_extents(const lq_grid* grid, int64_t* extents);
LQ_API lq_status lq_grid_processes(const lq_grid* grid, int64_t* processes);
LQ_API lq_status lq_grid_local_box(const lq_grid* grid, int64_t* lower, int64_t* extents);

#ifdef __cplusplus
}
#endif

#endif
