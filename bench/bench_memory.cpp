// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field out of memory by description, and by functions of the application, beside the same field in plain
// memory: written and read in turn, in the same run. By the clock and by the processor time of all threads, which
// others beside it disturb less.
//
//   bench_memory FOLDER [LATTICE [ROUNDS [THREADS]]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <limequat/limequat.hpp>

#include "described.hpp"
#include "median.hpp"

namespace {

struct Seconds {
  double by_clock = 0, of_processors = 0;
};

Seconds seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t begin_of_processors = std::clock();
  work();
  const double of_processors = static_cast<double>(std::clock() - begin_of_processors) / CLOCKS_PER_SEC;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), of_processors};
}

// Of one direction, in each round.
struct Times {
  std::vector<double> by_clock = {}, of_processors = {};

  void add(const Seconds& seconds) {
    by_clock.push_back(seconds.by_clock);
    of_processors.push_back(seconds.of_processors);
  }
};

// What is measured: the memory of a field, and how long it took in each round.
struct Way : DescribedField {
  Times writing = {}, reading = {};
};

// Plain memory behind functions.
Way by_function(bool rows, std::uint64_t volume, const lq::Extents& lattice) {
  Way way{described(rows ? "function for rows" : "function for a site", "", volume)};
  double* const numbers = way.arrays.front().data();
  const auto place = [lattice, numbers](const lq::Coord& x) {
    return numbers + (((x[3] * lattice[2] + x[2]) * lattice[1] + x[1]) * lattice[0] + x[0]) * 72;
  };
  way.source = way.field = lq::MutableField{.spec = lq::gauge_spec(lq::Precision::double_)};
  if (rows) {
    way.source.fetch_rows = [place](const lq::Coord& x, int, std::uint64_t sites, void* row) {
      std::memcpy(row, place(x), sites * 576);
    };
    way.field.store_rows = [place](const lq::Coord& x, int, std::uint64_t sites, const void* row) {
      std::memcpy(place(x), row, sites * 576);
    };
  } else {
    way.source.fetch = [place](const lq::Coord& x, void* site) { std::memcpy(site, place(x), 576); };
    way.field.store = [place](const lq::Coord& x, const void* site) { std::memcpy(place(x), site, 576); };
  }
  return way;
}

void print(const Times& times, const Times& plain, std::uint64_t volume) {
  std::printf(" %11.0f %8.2f %14.2f", static_cast<double>(volume) * 576 / median(times.by_clock) / 1e6,
              median(plain.by_clock) / median(times.by_clock),
              median(plain.of_processors) / median(times.of_processors));
}

void run(int argc, char** argv) {
  const std::string file = std::string(argv[1]) + "/bench_memory.ildg";
  const lq::Extents lattice = lq::parse_extents(argc > 2 ? argv[2] : "24x24x24x48");
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 9;
  lq::WriteOptions writing;
  lq::ReadOptions reading;
  writing.route.threads = reading.route.threads = argc > 4 ? std::atoi(argv[4]) : 1;
  writing.overwrite = true;
  writing.sync = lq::Sync::none;
  const lq::Grid grid(lattice);
  const std::uint64_t volume = grid.local_volume();

  std::vector<Way> ways;
  for (DescribedField& one : described_fields(volume)) ways.push_back({std::move(one)});
  ways.push_back(by_function(true, volume, lattice));
  ways.push_back(by_function(false, volume, lattice));
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Way& way = ways[(i + static_cast<std::size_t>(round + 1)) % ways.size()];
      std::filesystem::remove(file);
      const Seconds written = seconds_of([&] { lq::write(file, grid, way.source, writing); });
      const Seconds read = seconds_of([&] { lq::read(file, grid, way.field, reading); });
      if (round < 0) continue;  // pays for page tables
      way.writing.add(written);
      way.reading.add(read);
    }
  }
  std::filesystem::remove(file);
  std::printf("%s, double, %d rounds, %d threads\n%-22s", to_string(lattice).c_str(), rounds, writing.route.threads,
              "memory");
  for (const char* direction : {"write", "read"}) std::printf(" %6s MB/s of plain processor time", direction);
  for (const Way& way : ways) {
    std::printf("\n%-22s", way.name.c_str());
    print(way.writing, ways[0].writing, volume);
    print(way.reading, ways[0].reading, volume);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_memory FOLDER [LATTICE [ROUNDS [THREADS]]]\n", stderr);
    return 2;
  }
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_memory: %s\n", error.what());
    return 1;
  }
}
