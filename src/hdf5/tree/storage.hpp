// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the elements of a dataset lie, as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5/filters/filter.hpp"
#include "hdf5/tree/opened.hpp"

namespace lq::hdf5 {

enum class StorageKind { contiguous, chunked, compact, external, virtual_, other };

struct Chunk {
  std::uint64_t offset = 0;   // in the file
  std::uint64_t bytes = 0;    // 0: never allocated
  std::uint32_t skipped = 0;  // filters that were not applied, by bit
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

struct Storage {
  StorageKind kind = StorageKind::other;
  bool is_allocated = false;         // contiguous and compact
  std::uint64_t offset = 0;          // of these, where allocated: in the file
  std::vector<std::uint64_t> chunk;  // extents of a chunk, slowest first
  std::vector<Filter> filters;       // in the order of writing
  std::vector<std::byte> fill;       // what never written elements read as, one of them; empty: zeros
};

// Under a Lock.
Storage describe_storage(const Opened& file, hid_t dataset, const Where& where);

// Those of a chunked dataset that were allocated. malformed: their index is damaged, all of which is read.
std::uint64_t count_chunks(hid_t dataset, const Where& where);

// All chunks of a dataset of these extents, those never allocated included, last dimension fastest. too_large: more
// than `most`.
std::vector<Chunk> chunks_of(const Opened& file, hid_t dataset, const Storage& storage,
                             const std::vector<std::uint64_t>& extents, const Where& where, std::uint64_t most);

}  // namespace lq::hdf5
