// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads a gauge field on a given process grid and compares every number with the plain file. In single precision
// the plain numbers are rounded first, by the compiler. Prints one JSON object; exit code 1 if a number differs.
//
//   mpirun -n 8 demo_read conf.lime plain.raw 8x8x8x16 2x2x2x1 double
#include <cstdio>
#include <cstring>
#include <string_view>

#include "plain_file.hpp"
#include "world.hpp"

namespace {

using SingleSite = std::array<float, 72>;

// How many numbers are not the same bits.
template <class Number>
std::uint64_t count_different(const std::vector<std::array<Number, 72>>& found, const std::vector<demo::Site>& plain) {
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (std::size_t k = 0; k < plain[i].size(); ++k) {
      const auto expected = static_cast<Number>(plain[i][k]);
      if (std::memcmp(&found[i][k], &expected, sizeof expected) != 0) ++different;
    }
  }
  return different;
}

template <class Number>
bool compare(const demo::World& world, const lq::Grid& grid, const std::string& path, const std::string& plain) {
  std::vector<std::array<Number, 72>> u(grid.local_volume());
  const lq::Report report = lq::read(path, grid, lq::gauge(u));
  const lq::Plaquette plaquette = lq::plaquette(grid, lq::gauge(u));
  const std::uint64_t different = world.sum(count_different<Number>(u, demo::read_plain(grid, plain)));
  if (grid.is_root()) {
    std::printf("{\"ranks\": %d, \"different\": %llu, \"plaquette\": %s, \"report\": %s}\n", grid.size(),
                static_cast<unsigned long long>(different), lq::to_json(plaquette).c_str(),
                lq::to_json(report).c_str());
  }
  return different == 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const demo::World world(argc, argv);
  if (argc != 6) throw lq::Error(lq::Code::invalid_argument, "demo_read FILE PLAIN LATTICE PROCESSES double|single");
  const lq::Grid grid = world.grid(lq::parse_extents(argv[3]), lq::parse_extents(argv[4]));
  const bool single = std::string_view(argv[5]) == "single";
  const bool same =
      single ? compare<float>(world, grid, argv[1], argv[2]) : compare<double>(world, grid, argv[1], argv[2]);
  return same ? 0 : 1;
} catch (const lq::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
