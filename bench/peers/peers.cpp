// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the peers share, and the list of them.
#include "peers.hpp"

#include "bench/over_mpi.hpp"

namespace peers {

const std::vector<Peer>& all() {
  static const std::vector<Peer> list = {
      {"gather", [](const lq::Grid& grid, MPI_Comm) { return lq::bench::make_gather(grid); }},
      {"mpi-io collective",
       [](const lq::Grid& grid, MPI_Comm comm) { return lq::bench::make_mpi_io(grid, &comm, true); }},
      {"mpi-io independent",
       [](const lq::Grid& grid, MPI_Comm comm) { return lq::bench::make_mpi_io(grid, &comm, false); }},
      {"plain rows", make_rows},
      {"undo split", [](const lq::Grid&, MPI_Comm comm) { return lq::bench::make_undo_split(&comm); }},
#ifdef PEERS_WITH_HDF5
      {"hdf5", make_hdf5},
#endif
#ifdef PEERS_WITH_PNETCDF
      {"pnetcdf", make_pnetcdf},
#endif
  };
  return list;
}

}  // namespace peers
