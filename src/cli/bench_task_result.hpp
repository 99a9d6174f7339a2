// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What lq bench tasklocal found, for people and as JSON (docs/reference/json.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/bench_result.hpp"

namespace lq::cli {

struct TaskResult {
  std::string part;       // "create", "transfer"
  std::string name;       // of the side
  std::string direction;  // "create", "write", "read"
  std::string verify = "none";
  int tasks = 1, files = 1, shift = 0;
  std::uint64_t block = 0;  // bytes at whose multiples chunks were to begin; 0: those of the file system
  std::uint64_t bytes = 0;  // of all streams
  std::string cache = "warm";
  bool sync = false;
  Series seconds, raw;  // raw: one file per task, in the same rounds

  double ratio_to_raw() const;
};

// {"environment": {...}, "results": [...]}
std::string to_json(const std::string& environment, const std::vector<TaskResult>& results);

// Results of one part as a table. `where`: the file system.
std::string create_table(const std::vector<TaskResult>& results, const std::string& where, int runs);
std::string transfer_table(const std::vector<TaskResult>& results, const std::string& where, int runs);

}  // namespace lq::cli
