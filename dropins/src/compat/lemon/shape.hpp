// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the arguments of a lattice call mean: blocks of bytes, dealt out over the ranks of a Cartesian communicator.
#pragma once

#include <cstdint>

#include <limequat/grid.hpp>
#include <limequat/mpi.hpp>

namespace lq::compat::lemon {

struct LatticeCall {
  void* data = nullptr;
  MPI_Offset site_bytes = 0;
  const int* extents = nullptr;  // of each dimension of the communicator
  const int* mapping =
      nullptr;  // the communicator's dimensions as they lie in the file, slowest first; null: as they are
};

// Dimensions as the file has them, fastest first. Dimensions that are not cut are joined with their neighbours.
struct Shape {
  std::uint64_t bytes = 0;  // of all ranks; with 0 the rest means nothing
  std::uint64_t local_bytes = 0;
  Extents extents, processes;
  SiteOrder rank_order;
  Box mine;
  std::uint64_t site_bytes = 0;  // a site, or as many neighbours as are a multiple of four bytes together
  bool operator==(const Shape&) const = default;
};

// Local. invalid_argument: no Cartesian communicator, no permutation, negative numbers, extents that the ranks do not
// divide; too_large.
Shape shape_of(MPI_Comm cartesian, const LatticeCall& call);

}  // namespace lq::compat::lemon
