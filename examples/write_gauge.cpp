// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How do I write a gauge field with a different memory layout from the library's?
// Here even sites come before odd sites, as in many solvers: the program gives a function that fetches one site. The
// field is the same as in write_gauge.c, and so is the checksum.
//
//   c++ -std=c++20 write_gauge.cpp -llimequat && ./a.out gauge_cpp.ildg
//
// Prints:
//   plaquette 0.7911793228 spatial 0.7918495233 temporal 0.7905091223
//   checksum 121fd158/cc0eccec
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <span>
#include <vector>

#include <limequat/limequat.hpp>

namespace {

using Matrix = std::array<std::complex<double>, 9>;
using Links = std::array<Matrix, 4>;  // U_x, U_y, U_z, U_t

constexpr std::int64_t extents[4] = {4, 4, 4, 8};

// The place of a site in the application's memory: even sites first.
std::size_t place(const lq::Coord& x) {
  const std::int64_t natural = x[0] + 4 * (x[1] + 4 * (x[2] + 4 * x[3]));
  const bool odd = (x[0] + x[1] + x[2] + x[3]) % 2 != 0;
  return static_cast<std::size_t>(natural / 2 + (odd ? 4 * 4 * 4 * 8 / 2 : 0));
}

// A link: diag(z, conj z, 1) with one of three exact phases.
Matrix link(const lq::Coord& x, int mu) {
  static const std::complex<double> phases[3] = {{1.0, 0.0}, {3.0 / 5.0, 4.0 / 5.0}, {5.0 / 13.0, 12.0 / 13.0}};
  const std::int64_t which = (x[0] * x[1] + 2 * x[1] * x[2] + x[2] * x[3] + x[3] * x[0] + mu * x[mu]) % 3;
  const std::complex<double> z = phases[which];
  return {z, 0, 0, 0, std::conj(z), 0, 0, 0, 1};
}

}  // namespace

int main(int, char** argv) try {
  const lq::Grid grid({extents[0], extents[1], extents[2], extents[3]});
  std::vector<Links> even_odd(grid.volume());
  lq::Coord x{0, 0, 0, 0};
  for (x[3] = 0; x[3] < extents[3]; ++x[3])
    for (x[2] = 0; x[2] < extents[2]; ++x[2])
      for (x[1] = 0; x[1] < extents[1]; ++x[1])
        for (x[0] = 0; x[0] < extents[0]; ++x[0])
          for (int mu = 0; mu < 4; ++mu) even_odd[place(x)][static_cast<std::size_t>(mu)] = link(x, mu);

  const auto field = lq::gauge_from<double>([&](const lq::Coord& at, std::span<double, 72> site) {
    const auto* numbers = reinterpret_cast<const double*>(&even_odd[place(at)]);
    std::copy(numbers, numbers + 72, site.begin());
  });
  const lq::Report report = lq::write(argv[1], grid, field, {.overwrite = true});

  std::vector<Links> natural(grid.local_volume());  // the library's own order: x fastest
  lq::read(argv[1], grid, lq::gauge(natural));
  const lq::Plaquette plaquette = lq::plaquette(grid, lq::gauge(natural));
  std::printf("plaquette %.10f spatial %.10f temporal %.10f\n", plaquette.average, plaquette.spatial,
              plaquette.temporal);
  std::printf("checksum %s\n", lq::to_string(report.checksum).c_str());
} catch (const lq::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
