// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A user's program over MPI: every rank writes its part, reads it back, compares.
#include <cstdio>
#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

int main(int argc, char** argv) try {
  const lq::mpi::Environment mpi(argc, argv);
  const lq::Grid grid = lq::mpi::grid({4, 4, 4, 4});
  std::vector<std::array<double, 72>> u(grid.local_volume()), v(u.size());
  for (auto& site : u) site.fill(grid.rank() + 0.25);
  lq::write("parallel.ildg", grid, lq::gauge(u));
  lq::read("parallel.ildg", grid, lq::gauge(v));
  if (grid.is_root()) std::printf("%s %d ranks %s\n", lq::version(), grid.size(), u == v ? "same" : "different");
  return u == v ? 0 : 1;
} catch (const lq::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
