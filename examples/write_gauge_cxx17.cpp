// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How do I write a gauge field from a program in C++17? Reads the field that write_gauge.c wrote, and writes it again.
//
//   c++ -std=c++17 write_gauge_cxx17.cpp -llimequat && ./a.out gauge_c.ildg gauge_cxx17.ildg
//
// Prints:
//   plaquette 0.7911793228
//   written: 294912 bytes, sound
#include <array>
#include <complex>
#include <cstdio>
#include <vector>

#include <limequat/cxx17.hpp>

namespace io = lq::cxx17;

using Links = std::array<std::complex<double>, 4 * 9>;  // U_x, U_y, U_z, U_t, each a row-major 3x3

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  // [field]
  const io::Grid grid({4, 4, 4, 8});          // x, y, z, t; <limequat/cxx17_mpi.hpp>: io::grid({4, 4, 4, 8}, comm)
  std::vector<Links> u(grid.local_volume());  // x runs fastest
  io::read(argv[1], grid, io::gauge(u));      // any format, any process grid; the checksum is verified
  const io::Report report = io::write(argv[2], grid, io::gauge(u), {{"format", "ildg"}, {"overwrite", "1"}});

  io::Pending pending = io::write_async("behind.ildg", grid, io::gauge(u), {{"overwrite", "1"}});
  const double plaquette = io::plaquette(grid, io::gauge(u))[0];  // meanwhile
  pending.wait();
  const io::Answer answer = io::verify(argv[2]);
  // [/field]
  std::printf("plaquette %.10f\n", plaquette);
  std::printf("written: %llu bytes, %s\n", static_cast<unsigned long long>(report.bytes), answer ? "sound" : "damaged");
} catch (const io::Error& error) {  // the same on every rank
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
