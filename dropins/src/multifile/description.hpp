// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the task that knows the metadata of a physical file tells the others of it: each hears of its own logical file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/wire.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"

namespace lq::multifile {

// Followed by the filled bytes of each chunk.
struct Description {
  format::sion::ChunkPlaces places;
  std::int64_t rank = 0;
  std::uint64_t chunks = 0;  // as many numbers follow; none: it is written
  std::int32_t file = 0;
  std::int32_t files = 1;  // of the set
  std::int32_t number = 0;
  std::int32_t tasks = 0;  // of this file
  std::int32_t block_size = 1;
  format::sion::KeyValueMode key_values = format::sion::KeyValueMode::none;
  ByteOrder metadata_order = format::sion::host_order;
  ByteOrder data_order = format::sion::host_order;
};

// Of local task `number` of physical file `file`, which may call itself otherwise.
inline void append_description(std::vector<std::byte>& bytes, const format::sion::FixedHead& head,
                               const format::sion::Geometry& geometry, std::int32_t file, std::int32_t number,
                               std::int64_t rank, std::span<const std::int64_t> used = {}) {
  comm::append(bytes, Description{geometry.places(number), rank, used.size(), file, head.files, number, head.tasks,
                                  head.block_size, head.key_value_mode(), head.metadata_order, head.data_order});
  comm::append_all(bytes, used);
}

}  // namespace lq::multifile
