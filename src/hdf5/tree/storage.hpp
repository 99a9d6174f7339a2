// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file opened for reading, and the places of the elements of a dataset in it.
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

// A file opened for reading, after its superblock was checked.

// The library is locked while this exists.
class Opened {
 public:
  // Throws errors of read_superblock(), and malformed if the library rejects the file.
  explicit Opened(base::ByteSource& source);

  const std::string& path() const noexcept { return image_.path(); }
  base::ByteSource& source() const noexcept { return source_; }
  hid_t id() const noexcept { return file_.get(); }
  const Superblock& superblock() const noexcept { return superblock_; }
  std::uint64_t bytes() const { return image_.size(); }
  // malformed: the library would not survive the header of an object. `address` in the file.
  void require_sound(std::uint64_t address) const;
  ErrorPlace where(std::string object) const { return {image_.path(), std::move(object)}; }

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
  std::uint32_t skipped = 0;  // mask of filters that were not applied
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

struct Storage {
  StorageKind kind = StorageKind::other;
  bool is_allocated = false;         // for contiguous and compact storage
  std::uint64_t offset = 0;          // their offset in the file, if allocated
  std::vector<std::uint64_t> chunk;  // extents of a chunk, slowest first
  std::vector<Filter> filters;       // in the order of writing
  std::vector<std::byte> fill;       // value of an element that was never written; empty: zeros
};

// Under a Lock.
Storage describe_storage(const Opened& file, hid_t dataset, const ErrorPlace& where);

// Number of allocated chunks of a chunked dataset. malformed: their index, which is read completely, is damaged.
std::uint64_t count_chunks(hid_t dataset, const ErrorPlace& where);

// All chunks of a dataset of these extents, including those never allocated, last dimension fastest. too_large: more
// than `most`.
std::vector<Chunk> chunks_of(const Opened& file, hid_t dataset, const Storage& storage,
                             const std::vector<std::uint64_t>& extents, const ErrorPlace& where, std::uint64_t most);

// The elements of a dataset, contiguous, whatever its storage: as in the file, with filters undone.
class DatasetContents final : public base::ByteSource {
 public:
  // `file` outlives the object; `path`: for messages. The library is needed only during construction. unsupported:
  // elements in other files, unknown filters; too_large: more than `most_chunks`, or chunks of an unreasonable size.
  DatasetContents(const Opened& opened, hid_t dataset, std::vector<std::uint64_t> extents, std::uint64_t element_bytes,
                  const ErrorPlace& where, std::uint64_t most_chunks);

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return size_; }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

  // Chunks of a chunked dataset, last dimension fastest; else empty.
  const std::vector<Chunk>& chunks() const noexcept { return chunks_; }
  // Decodes a chunk that was written. malformed: it cannot be decoded, or its checksum does not agree.
  void check_chunk(std::uint64_t number) const { read_chunk(number); }
  // "(0, 2, 0)", counted in chunks, slowest first.
  std::string chunk_text(std::uint64_t number) const;

 private:
  using Bytes = std::vector<std::byte>;

  void place_chunks(const Opened& opened, hid_t dataset, const ErrorPlace& where, std::uint64_t most_chunks);
  void fill(base::MutableBytes bytes, std::uint64_t offset) const;
  const Bytes& chunk(std::uint64_t number);
  Bytes read_chunk(std::uint64_t number) const;
  void choose_codec(const ErrorPlace& where, std::uint32_t skipped);
  // Copies from the run of elements that begins at that one; returns the number of bytes.
  std::size_t read_run(std::uint64_t offset, base::MutableBytes buffer);

  base::ByteSource& file_;
  std::string path_;
  std::vector<std::uint64_t> extents_;
  std::uint64_t element_bytes_ = 0;
  std::uint64_t size_ = 0;
  Storage storage_;
  std::vector<Chunk> chunks_;
  std::uint64_t chunk_bytes_ = 0;
  // By the mask of filters not applied to a chunk; nullptr: all were omitted, or there are none.
  std::map<std::uint32_t, const format::TileCodec*> codecs_;
  // Recently read chunks, the latest first.
  std::list<std::pair<std::uint64_t, Bytes>> kept_;
  std::unordered_map<std::uint64_t, decltype(kept_)::iterator> kept_by_number_;
};

// The contents of the dataset at that path. nullptr: it is stored contiguously. Texts of variable length are
// concatenated, each with a NUL at its end. Throws as the constructor above; no_such_record.
std::unique_ptr<base::ByteSource> contents_of(base::ByteSource& file, const std::string& object);

}  // namespace lq::hdf5
