// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What tasks and the first task of their physical file tell each other.
#pragma once

#include <cstdint>
#include <vector>

#include "format/sion/geometry.hpp"
#include "multifile/metadata.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::multifile {

struct ParallelFile::Request {
  std::int64_t chunk_bytes = 0;
  std::int64_t rank = 0;
  std::uint64_t only_sends = 0;
};

// What the first task knows of all: requests, as they arrive,
struct ParallelFile::Wishes {
  std::vector<std::int64_t> chunks;
  std::vector<std::int64_t> ranks;
  std::vector<std::uint8_t> only_sends;
  void reserve(std::size_t tasks) {
    chunks.reserve(tasks);
    ranks.reserve(tasks);
    only_sends.reserve(tasks);
  }
};

// and what it answers: who collects, and where the task is.
struct ParallelFile::Layout {
  struct Collecting {
    std::int32_t is_on = 0;
    std::int32_t merges = 0;
    CollectorGroup group;
  };

  format::sion::FixedHead head;
  format::sion::Geometry geometry;
  std::vector<std::int64_t> ranks;
  Collecting collecting;
  std::vector<std::int32_t> groups;  // of collectors
  format::sion::ChunkTable used;     // when reading

  std::vector<std::byte> answer_to(std::int32_t file, std::int32_t task) const {
    Collecting mine = collecting;
    mine.group = group_of(groups, task, geometry.tasks(), head.block_size, mine.merges != 0);
    std::vector<std::byte> bytes = comm::to_bytes(mine);
    append_description(bytes, head, geometry, file, task, ranks[static_cast<std::size_t>(task)],
                       used.tasks() > 0 ? used.used(task) : std::span<const std::int64_t>());
    return bytes;
  }
};

}  // namespace lq::multifile
