// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program of examples/lemon/parallel.c with our own interface: the same lattice, in a file with a checksum that
// gets its name only when it is complete, and that any other grid of ranks can read.
//
//   mpic++ -std=c++20 lemon_ported.cpp -llimequat_mpi -llimequat && mpiexec -n 4 ./a.out parallel.lime
//
// Prints:
//   every rank has read what it wrote
// [program]
#include <array>
#include <cstdio>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

int main(int argc, char** argv) try {
  const lq::mpi::Environment mpi(argc, argv);
  const lq::Grid grid = lq::mpi::grid({8, 8, 8, 16});  // x, y, z, t; the process grid is chosen
  std::vector<std::array<double, 4>> written(grid.local_volume()), read(grid.local_volume());
  for (std::size_t i = 0; i < written.size(); ++i) written[i].fill(grid.rank() * 1e6 + static_cast<double>(i));

  lq::write(argv[1], grid, lq::sites(written), {.overwrite = true});
  lq::read(argv[1], grid, lq::sites(read));

  const bool differs = grid.communicator().max(read == written ? 0 : 1) > 0;
  if (grid.is_root()) std::puts(differs ? "something went wrong" : "every rank has read what it wrote");
  return differs ? 1 : 0;
} catch (const lq::Error& error) {  // the same error on every rank
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
// [/program]
