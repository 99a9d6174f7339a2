// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Generates a gauge field, measures its plaquette in memory, writes it with the library, and also as plain
// numbers. Then writes it several times, in turn with a raw write of the same bytes. Prints one JSON object.
//
//   mpirun -n 4 demo_write conf.lime plain.raw 8x8x8x16 1x1x2x2 6.0 50
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "plain_file.hpp"
#include "world.hpp"

namespace {

constexpr int repetitions = 9;

template <class Work>
double timed(const demo::World& world, Work work) {
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  return world.largest(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void print_list(const char* name, const std::vector<double>& values) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.9g", i == 0 ? "" : ", ", values[i]);
  std::printf("], ");
}

}  // namespace

int main(int argc, char** argv) try {
  const demo::World world(argc, argv);
  if (argc != 7) throw lq::Error(lq::Code::invalid_argument, "demo_write OUT PLAIN LATTICE PROCESSES BETA SWEEPS");
  const std::string path = argv[1], plain = argv[2];
  const lq::Grid grid = world.grid(lq::parse_extents(argv[3]), lq::parse_extents(argv[4]));

  std::vector<demo::Site> u(grid.local_volume());
  lq::GenerateOptions heat_bath;
  heat_bath.beta = std::atof(argv[5]);
  heat_bath.sweeps = std::atoi(argv[6]);
  const double generate_seconds = timed(world, [&] { lq::generate(grid, lq::gauge(u), heat_bath); });
  const lq::Physics physics = lq::measure(grid, lq::gauge(u));

  lq::WriteOptions options;
  options.measure = true;
  options.verify = lq::Verify::read_back;
  options.metadata = {{"xlf-info", "plaquette = " + std::to_string(physics.plaquette.average)}};
  const lq::Report report = lq::write(path, grid, lq::gauge(u), options);
  demo::write_plain(grid, plain, u);

  std::vector<double> ours, raw;
  options = {};
  options.sync = lq::Sync::none;
  const std::uint64_t first = world.before(u.size()) * sizeof(demo::Site);
  for (int i = 0; i < repetitions; ++i) {
    if (grid.is_root()) ::unlink((path + ".again.lime").c_str()), ::unlink((plain + ".again").c_str());
    raw.push_back(timed(world, [&] {
      demo::PlainFile(plain + ".again", O_WRONLY | O_CREAT).write(first, std::as_bytes(std::span(u)));
    }));
    ours.push_back(timed(world, [&] { lq::write(path + ".again.lime", grid, lq::gauge(u), options); }));
  }
  if (!grid.is_root()) return 0;
  ::unlink((path + ".again.lime").c_str()), ::unlink((plain + ".again").c_str());

  std::printf("{\"ranks\": %d, \"generate_seconds\": %.3f, ", grid.size(), generate_seconds);
  print_list("write_seconds", ours);
  print_list("raw_seconds", raw);
  std::printf("\"physics\": %s, \"report\": %s}\n", lq::to_json(physics).c_str(), lq::to_json(report).c_str());
  return 0;
} catch (const lq::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
