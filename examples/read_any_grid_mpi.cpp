// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How do I read a configuration on any number of ranks? The file is the one that write_gauge.c writes. The library
// chooses the process grid, which need not divide the lattice.
//
//   mpic++ -std=c++20 read_any_grid_mpi.cpp -llimequat_mpi -llimequat && mpirun -n 3 ./a.out gauge_c.ildg
//
// Prints, on any number of ranks:
//   plaquette 0.7911793228 spatial 0.7918495233 temporal 0.7905091223
//   checksum 121fd158/cc0eccec
#include <array>
#include <complex>
#include <cstdio>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

using Links = std::array<std::complex<double>, 4 * 9>;  // U_x, U_y, U_z, U_t, each a row-major 3x3

int main(int argc, char** argv) try {
  const lq::mpi::Environment mpi(argc, argv);
  const lq::Grid grid = lq::mpi::grid({4, 4, 4, 8});  // x, y, z, t
  std::vector<Links> u(grid.local_volume());          // x runs fastest
  const lq::Report report = lq::read(argv[1], grid, lq::gauge(u));
  const lq::Plaquette plaquette = lq::plaquette(grid, lq::gauge(u));
  if (grid.is_root()) {
    std::printf("plaquette %.10f spatial %.10f temporal %.10f\n", plaquette.average, plaquette.spatial,
                plaquette.temporal);
    std::printf("checksum %s\n", lq::to_string(report.checksum).c_str());
  }
} catch (const lq::Error& error) {  // the same error on every rank
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
