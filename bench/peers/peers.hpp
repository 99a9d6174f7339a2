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

#include "bench/rounds.hpp"

namespace peers {

// MPI_File_write_all, or MPI_File_write, through a subarray view.
std::unique_ptr<lq::bench::Mover> make_mpi_io(const lq::Grid& grid, MPI_Comm comm, bool collective);
// The split of the fastest dimensions undone by one all-to-all, then plain writes.
std::unique_ptr<lq::bench::Mover> make_undo_split(const lq::Grid& grid, MPI_Comm comm);
// A contiguous dataset, collective transfers of hyperslabs.
std::unique_ptr<lq::bench::Mover> make_hdf5(const lq::Grid& grid, MPI_Comm comm);
// A variable of a CDF-5 file, collective transfers.
std::unique_ptr<lq::bench::Mover> make_pnetcdf(const lq::Grid& grid, MPI_Comm comm);

struct Peer {
  std::string name;
  std::unique_ptr<lq::bench::Mover> (*make)(const lq::Grid& grid, MPI_Comm comm);
};
// Those that this program was built with.
const std::vector<Peer>& all();

// The slowest dimension first, as arrays are declared; `numbers` of a site come last.
template <class Integer>
std::vector<Integer> slowest_first(const lq::Coord& coord, std::uint64_t numbers) {
  std::vector<Integer> reversed;
  for (int d = coord.size() - 1; d >= 0; --d) reversed.push_back(static_cast<Integer>(coord[d]));
  reversed.push_back(static_cast<Integer>(numbers));
  return reversed;
}

// Error(io) with the words of the library when `failed`.
void require(bool failed, const std::string& path, const std::string& words);

}  // namespace peers
