// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limequat for C over MPI: the one C header that includes <mpi.h>; link limequat_mpi. Conventions: limequat.h.
#ifndef LIMEQUAT_MPI_H
#define LIMEQUAT_MPI_H

// The C interface of MPI only, also when C++ includes this.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <limequat.h>

#ifdef __cplusplus
extern "C" {
#endif

// Collective over `comm`, which is duplicated. Distributes the lattice over its ranks; a Cartesian communicator gives
// process grid and rank order, unless options give `ranks` or `coordinates`. Options as in lq_grid_create(); they may
// be NULL.
LQ_API lq_status lq_grid_mpi(const int64_t* extents, int dimensions, MPI_Comm comm, lq_grid** grid);
LQ_API lq_status lq_grid_mpi_with(const int64_t* extents, int dimensions, MPI_Comm comm, const lq_grid_options* options,
                                  lq_grid** grid);

// Collective over `comm`, which is duplicated. For lq_inspect, lq_verify, lq_convert, lq_diff on several ranks.
LQ_API lq_status lq_communicator_mpi(MPI_Comm comm, lq_communicator** communicator);

// The same for languages that have a communicator as its Fortran number (MPI_Comm_c2f), or as the number of
// MPI_Comm_toint if MPI has its standard ABI.
LQ_API lq_status lq_grid_mpi_fortran(const int64_t* extents, int dimensions, int comm, const lq_grid_options* options,
                                     lq_grid** grid);
LQ_API lq_status lq_communicator_mpi_fortran(int comm, lq_communicator** communicator);

#ifdef __cplusplus
}
#endif

#endif
