// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What tasks and the first task of their physical file tell each other.
#pragma once

#include <cstdint>
#include <vector>

#include "format/sion/geometry.hpp"
#include "multifile/block_size.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::multifile {

struct ParallelFile::Request {
  std::int64_t chunk_bytes = 0;
  std::int64_t rank = 0;
  std::uint64_t only_sends = 0;
};

// Followed, when reading, by the filled bytes of each chunk.
struct ParallelFile::Answer {
  LogicalFile::Place place;
  std::int64_t rank = 0;
  std::int32_t block_size = 0;
  std::int32_t key_values = 0;
  std::int32_t metadata_is_big = 0;
  std::int32_t data_is_big = 0;
  std::int32_t collects = 0;
  std::int32_t merges = 0;
  CollectorGroup collectors;
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

// and out of what it makes the answers, one after the other.
struct ParallelFile::Layout {
  Answer common;
  format::sion::Geometry geometry;
  std::vector<std::int64_t> ranks;
  std::vector<std::int32_t> groups;  // of collectors
  format::sion::ChunkTable used;     // when reading
  Answer answer_to(std::int32_t task) const {
    Answer answer = common;
    answer.place = {geometry.start(task), geometry.width(task), geometry.skip()};
    answer.rank = ranks[static_cast<std::size_t>(task)];
    answer.collectors = group_of(groups, task, geometry.tasks(), common.block_size, common.merges != 0);
    return answer;
  }
};

}  // namespace lq::multifile
