// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field out of memory by description, and by functions of the application, beside the same field in plain
// memory: written and read in turn, in the same run. By the clock and by the processor time of all threads, which
// others beside it disturb less.
//
//   bench_more memory FOLDER [LATTICE [ROUNDS [THREADS]]]
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <limequat/limequat.hpp>

#include "described.hpp"
#include "more.hpp"

namespace {

// Of one direction, in each round.
struct Times {
  std::vector<double> by_clock = {}, of_processors = {};

  template <class Work>
  void add(bool counts, const Work& work) {
    const std::clock_t begin = std::clock();
    const double seconds = seconds_of(work);
    if (!counts) return;
    by_clock.push_back(seconds);
    of_processors.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
};

// What is measured: the memory of a field, and how long it took in each round.
struct MemoryWay : DescribedField {
  Times writing = {}, reading = {};
};

// Plain memory behind functions.
MemoryWay by_function(bool rows, std::uint64_t volume, const lq::Extents& lattice) {
  MemoryWay way{described(rows ? "function for rows" : "function for a site", "", volume)};
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

}  // namespace

void measure_memory(const Words& words, const lq::Communicator& /*ranks*/) {
  const std::string file = words.text(0) + "/bench_more.ildg";
  const lq::Extents lattice = lq::parse_extents(words.text(1, "24x24x24x48"));
  const int rounds = words.number(2, 9);
  lq::WriteOptions writing;
  lq::ReadOptions reading;
  writing.route.threads = reading.route.threads = words.number(3, 1);
  writing.overwrite = true;
  writing.sync = lq::Sync::none;
  const lq::Grid grid(lattice);
  const std::uint64_t volume = grid.local_volume();

  std::vector<MemoryWay> ways;
  for (DescribedField& one : described_fields(volume)) ways.push_back({std::move(one)});
  ways.push_back(by_function(true, volume, lattice));
  ways.push_back(by_function(false, volume, lattice));
  in_turn(ways, rounds, [&](MemoryWay& way, bool counts) {
    std::filesystem::remove(file);
    way.writing.add(counts, [&] { lq::write(file, grid, way.source, writing); });
    way.reading.add(counts, [&] { lq::read(file, grid, way.field, reading); });
  });
  std::filesystem::remove(file);
  std::printf("%s, double, %d rounds, %d threads\n%-22s", to_string(lattice).c_str(), rounds, writing.route.threads,
              "memory");
  for (const char* direction : {"write", "read"}) std::printf(" %6s MB/s of plain processor time", direction);
  for (const MemoryWay& way : ways) {
    std::printf("\n%-22s", way.name.c_str());
    print(way.writing, ways[0].writing, volume);
    print(way.reading, ways[0].reading, volume);
  }
  std::printf("\n");
}
