// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What tasks and the first task of their physical file tell each other.
#pragma once

#include <cstdint>

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

}  // namespace lq::multifile
