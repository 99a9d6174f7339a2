// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file opened for reading, and where the elements of a dataset lie in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5/driver/driver.hpp"
#include "hdf5/filters/filters.hpp"
#include "hdf5/headers/superblock.hpp"

namespace lq::hdf5 {

// A file opened for reading, after its superblock was looked at.

// The library is locked while it lives.
class Opened {
 public:
  // Throws what read_superblock() throws, and malformed where the library refuses the file.
  explicit Opened(base::ByteSource& source);

  const std::string& path() const noexcept { return image_.path(); }
  base::ByteSource& source() const noexcept { return source_; }
  hid_t id() const noexcept { return file_.get(); }
  const Superblock& superblock() const noexcept { return superblock_; }
  std::uint64_t bytes() const { return image_.size(); }
  // malformed: the header of an object says what the library would not survive. `address` in the file.
  void require_sound(std::uint64_t address) const;
  Where where(std::string object) const { return {image_.path(), std::move(object)}; }

 private:
  Lock lock_;
  base::ByteSource& source_;
  Superblock superblock_;
  Image image_;
  Handle file_;
};

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
