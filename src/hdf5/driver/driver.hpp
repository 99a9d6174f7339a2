// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file driver for the HDF5 library that reads and writes an image: the library becomes a planner, which says what
// bytes a file has where. Nothing is opened, locked or written.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "format/format.hpp"
#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {

// A file as it is and as it shall become: what is there, and the bytes that were written since, which stay in memory.
// Places that somebody else fills (the data of fields) are never touched, so that files of any size take little.
class Image final : public base::ByteSource {
 public:
  // Of a new file.
  explicit Image(std::string path) : path_(std::move(path)) {}
  // Of one that is there, which outlives the image.
  explicit Image(base::ByteSource& before)
      : before_(&before), path_(before.path()), before_bytes_(before.size()), size_(before_bytes_) {}

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return size_; }
  // Zeros where nothing was written and no file is.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override;

  // All of it or, where it throws, nothing.
  void write_at(std::uint64_t offset, base::Bytes bytes);
  void resize(std::uint64_t bytes);
  // What was written, in order of offset, neighbours joined.
  std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> changes() const;
  bool is_changed() const noexcept { return !written_.empty(); }

  // Where the library takes room from (driver.hpp): pieces of data get the places that were decided before, in turn;
  // all else lies after the end.
  struct Room {
    std::uint64_t end = 0;
    std::deque<std::uint64_t> decided = {};
    // Offset and length of the bytes that were last read to `elsewhere()`.
    std::pair<std::uint64_t, std::uint64_t> asked_for = {};
    // The library closes the file.
    bool is_closing = false;
    // The first that it was not told of (driver.hpp).
    std::exception_ptr failure = {};
  };
  Room room;

 private:
  using Written = std::map<std::uint64_t, std::vector<std::byte>>;
  void carve(std::uint64_t begin, std::uint64_t end);

  base::ByteSource* before_ = nullptr;
  std::string path_;
  std::uint64_t before_bytes_ = 0;  // of the file, as far as they were not cut off
  std::uint64_t size_ = 0;
  Written written_;  // by offset; pieces do not overlap
};

// The same as bytes of a file to be written.
std::vector<format::Literal> literals_of(const Image& image);

// Both under a Lock, which is held while the file is used. Files have the metadata of HDF5 1.8, which all of 1.10 to 2
// read and write; objects have no time stamps, which would make equal files differ.
Handle create_in(Image& image);
enum class Access { read, write };
Handle open_in(Image& image, Access access);
// What was written is then in the image. Failures to write are told here, and no earlier.
void close_in(Handle file, Image& image);

// Stands for bytes of data that the library never sees: where it is told to write from here, nothing is written, and
// where it is told to read to here, nothing is read.
void* elsewhere() noexcept;

// Where a chunk lies in the file of the driver.
struct ChunkPlace {
  std::uint64_t offset = 0;   // from the first byte of the file on
  std::uint64_t bytes = 0;    // as they lie there
  std::uint32_t skipped = 0;  // filters that were not applied, by bit
};
// The chunk that begins with that element, in the time that the library takes to find one chunk, whatever its index
// of chunks is. Nothing: it is not there, or the library cannot find it.
std::optional<ChunkPlace> find_chunk(hid_t file, hid_t dataset, const hsize_t* first);

}  // namespace lq::hdf5
