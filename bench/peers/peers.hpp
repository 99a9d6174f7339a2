// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Other ways to bring the same field into one file: as plain doubles without checksum, each in its own format. They are
// there to be compared with, and used as their manuals say.
#pragma once

#include <memory>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "bench/over_mpi.hpp"

namespace peers {

// A contiguous dataset, collective transfers of hyperslabs.
std::unique_ptr<lq::bench::Mover> make_hdf5(const lq::Grid& grid, MPI_Comm comm);
// A variable of a CDF-5 file, collective transfers.
std::unique_ptr<lq::bench::Mover> make_pnetcdf(const lq::Grid& grid, MPI_Comm comm);

// Each row of a rank's sites by one pread or pwrite.
std::unique_ptr<lq::bench::Mover> make_rows(const lq::Grid& grid, MPI_Comm comm);

struct Peer {
  std::string name;
  std::unique_ptr<lq::bench::Mover> (*make)(const lq::Grid& grid, MPI_Comm comm);
};
// Those that this program was built with.
const std::vector<Peer>& all();

using lq::bench::require;
using lq::bench::slowest_first;

}  // namespace peers
