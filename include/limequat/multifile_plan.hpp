// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of a multifile: the cost of creating, closing and opening it in messages, bytes, memory and writes, and the
// time that these and its data take. Planning takes as long for a million tasks as for two; nothing is written.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <limequat/machine.hpp>

namespace lq {

struct MultifilePlanRequest {
  std::uint64_t tasks = 1;           // one for each rank
  std::uint64_t files = 1;           // physical files
  std::uint64_t expected_bytes = 0;  // of each task; 0: not known
  std::uint64_t unit_bytes = 0;      // chunks begin at multiples of it; 0: block of the file system
  std::uint64_t stripe_count = 0;    // servers that each physical file is distributed over; 0: all
  bool writing = true;               // write its data; false: read them
};

// Upper bounds for the busiest rank; a small collective operation has one step for each level of a tree.
struct MetadataCost {
  std::string what;                 // "create", "close", "open"
  std::uint64_t collectives = 0;    // reductions, broadcasts, splits
  std::uint64_t steps = 0;          // messages that wait for each other
  std::uint64_t messages = 0;       // sent, in addition to the collective operations
  std::uint64_t bytes = 0;          // of these
  std::uint64_t writes = 0;         // of metadata, per physical file
  std::uint64_t write_bytes = 0;    // of the largest file
  std::uint64_t writer_memory = 0;  // bytes on the rank that writes or reads the tables
  std::uint64_t other_memory = 0;   // on any other
  double seconds = 0;
};

struct MultifilePlan {
  MultifilePlanRequest request;
  std::uint64_t tasks_per_file = 1;  // maximum
  std::uint64_t block_bytes = 0;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t chunks = 1;       // of each task
  std::uint64_t head_bytes = 0;   // of the largest file: header and record
  std::uint64_t table_bytes = 0;  // table of chunks, map of the set
  std::vector<MetadataCost> costs;
  double transfer_seconds = 0;    // of the expected bytes
  double task_local_seconds = 0;  // creating a file for each task instead, in sequence on the metadata server
};

// Local. invalid_argument: no task, no file, more files than tasks, 2^31 tasks or more.
LQ_API MultifilePlan plan_multifile(const MultifilePlanRequest& request, const Machine& machine = {});
// Local. docs/reference/json.md.
LQ_API std::string to_json(const MultifilePlan& plan);

}  // namespace lq
