// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file opened for reading, and where the elements of a dataset lie in it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/tile_codec.hpp"
#include "hdf5/driver/driver.hpp"
#include "hdf5/filters/filters.hpp"
#include "hdf5/headers/structures.hpp"

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

// The elements of a dataset contiguous, whatever its storage: as they lie in the file, filters undone.
class DatasetContents final : public base::ByteSource {
 public:
  // `file`, which outlives the object; `path`: for messages. The library is needed for as long as this takes only.
  // unsupported: elements in other files, filters that are not known; too_large: more than `most_chunks`, or chunks
  // that no memory should hold.
  DatasetContents(const Opened& opened, hid_t dataset, std::vector<std::uint64_t> extents, std::uint64_t element_bytes,
                  const Where& where, std::uint64_t most_chunks);

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return size_; }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

  // Those of a chunked dataset, last dimension fastest; none of others.
  const std::vector<Chunk>& chunks() const noexcept { return chunks_; }
  // Decodes a chunk that was written. malformed: it cannot be, or is not what its checksum says.
  void check_chunk(std::uint64_t number) const { read_chunk(number); }
  // "(0, 2, 0)", counted in chunks, slowest first.
  std::string chunk_text(std::uint64_t number) const;

 private:
  using Bytes = std::vector<std::byte>;

  void place_chunks(const Opened& opened, hid_t dataset, const Where& where, std::uint64_t most_chunks);
  void fill(base::MutableBytes bytes, std::uint64_t offset) const;
  const Bytes& chunk(std::uint64_t number);
  Bytes read_chunk(std::uint64_t number) const;
  void choose_codec(const Where& where, std::uint32_t skipped);
  // Copies from the run of elements that begins at that one; the bytes copied.
  std::size_t read_run(std::uint64_t offset, base::MutableBytes buffer);

  base::ByteSource& file_;
  std::string path_;
  std::vector<std::uint64_t> extents_;
  std::uint64_t element_bytes_ = 0;
  std::uint64_t size_ = 0;
  Storage storage_;
  std::vector<Chunk> chunks_;
  std::uint64_t chunk_bytes_ = 0;
  // By the filters that were not applied to a chunk; nullptr: all were left out, or there is none.
  std::map<std::uint32_t, const format::TileCodec*> codecs_;
  // Chunks read last, the latest one first.
  std::list<std::pair<std::uint64_t, Bytes>> kept_;
  std::unordered_map<std::uint64_t, decltype(kept_)::iterator> kept_by_number_;
};

// Of the dataset at that path. nullptr: it lies in one piece. Texts of variable length are contiguous, each
// with a NUL at its end. Throws as the constructor above; no_such_record.
std::unique_ptr<base::ByteSource> contents_of(base::ByteSource& file, const std::string& object);

}  // namespace lq::hdf5
