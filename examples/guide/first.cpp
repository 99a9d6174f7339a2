// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The complete first program of README.md and docs/guide/writing.md.
#include <array>
#include <complex>
#include <cstdio>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

using Links = std::array<std::complex<double>, 4 * 9>;  // U_x, U_y, U_z, U_t, each a row-major 3x3

int main(int argc, char** argv) {
  lq::mpi::Environment mpi(argc, argv);
  try {
    lq::Grid grid = lq::mpi::grid({8, 8, 8, 16});  // x, y, z, t; the library chooses the process grid
    std::vector<Links> u(grid.local_volume());     // this rank's sites, x runs fastest
    lq::generate(grid, lq::gauge(u), {.beta = 6.0, .sweeps = 5});

    // One file, written by all ranks in parallel; an older file stays until the new one is complete.
    lq::write("conf.ildg", grid, lq::gauge(u), {.overwrite = true});
    // On this or any other process grid; the checksum is verified.
    lq::Report report = lq::read("conf.ildg", grid, lq::gauge(u));
    if (grid.is_root()) std::puts(report.summary().c_str());
  } catch (const lq::Error& error) {  // the same error on every rank
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
