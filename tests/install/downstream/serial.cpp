// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A user's program without MPI: writes a field, reads it back, compares.
#include <cstdio>
#include <limequat/limequat.hpp>

int main() try {
  const lq::Grid grid(lq::Extents{4, 4, 4, 4});
  std::vector<std::array<double, 72>> u(grid.local_volume()), v(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) u[i].fill(static_cast<double>(i) + 0.25);
  lq::write("serial.ildg", grid, lq::gauge(u));
  lq::read("serial.ildg", grid, lq::gauge(v));
  std::printf("%s %s\n", lq::version(), u == v ? "same" : "different");
  return u == v ? 0 : 1;
} catch (const lq::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
