// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `lq plot` takes from the JSON of benchmarks (docs/reference/json.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lq::plot {

struct Seconds {
  double median = 0;
  double low = 0, high = 0;  // quartiles; extremes where the file has none
};

struct Steps {
  double pack = 0, exchange = 0, write = 0, sync = 0;
};

// One result and where it was measured. Of tasks: no lattice, grid, strategy and precision, but files.
struct Result {
  std::string name, direction, lattice, grid, strategy, verify, precision, cache;
  std::string file_system, processor, mpi;
  std::string format;           // of files of one field
  std::string layout;           // in it, where the format knows several: "qlua, chunks slice"
  std::uint64_t alignment = 0;  // of the data in the file, where it was asked for
  std::string split;            // of measurements of a file system: the dimensions that are divided among ranks
  std::uint64_t servers = 0;    // of these: storage servers; else 0
  std::uint64_t stripe_bytes = 0;
  std::uint64_t ranks = 1, cores = 0, bytes = 0;
  std::uint64_t threads = 0;  // of each rank, where they were chosen; else 0
  std::uint64_t files = 0;    // physical ones, of tasks; else 0
  std::uint64_t block = 0;    // bytes at whose multiples chunks were to begin; 0: those of the file system
  Seconds seconds, raw;
  double ratio_to_raw = 0;
  std::optional<Steps> steps;

  bool is_of_tasks() const { return files > 0; }
  bool is_of_servers() const { return servers > 0; }
  double rate() const { return static_cast<double>(bytes) / seconds.median; }
};

// Local. The results of transfers in `text`; others, such as those of parts, are passed over. malformed: no JSON, or
// JSON of something else; the error says where. unsupported: this program was built without a reader of JSON.
std::vector<Result> read_results(std::string_view text, const std::string& path);

}  // namespace lq::plot
