// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file driver for the HDF5 library that reads and writes an image: the library only plans which bytes a file has at
// which places. Nothing is opened, locked or written.
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

// The current and the future contents of a file: the existing bytes, and the bytes written since, which stay in memory.
// Places that other code fills (the data of fields) are never touched, so that files of any size need little memory.
class Image final : public base::ByteSource {
 public:
  // For a new file.
  explicit Image(std::string path) : path_(std::move(path)) {}
  // For an existing file, which outlives the image.
  explicit Image(base::ByteSource& before)
      : before_(&before), path_(before.path()), before_bytes_(before.size()), size_(before_bytes_) {}

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return size_; }
  // Returns zeros where nothing was written and the file has no bytes.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override;

  // All or nothing: if it throws, nothing was written.
  void write_at(std::uint64_t offset, base::Bytes bytes);
  void resize(std::uint64_t bytes);
  // The bytes written, in order of offset, neighbours joined.
  std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> changes() const;
  bool is_changed() const noexcept { return !written_.empty(); }

  // The library's allocations (driver.hpp): pieces of data get the places that were assigned before, in order;
  // everything else is placed after the end.
  struct Allocations {
    std::uint64_t end = 0;
    std::deque<std::uint64_t> decided = {};
    // Offset and length of the last read to `elsewhere()`.
    std::pair<std::uint64_t, std::uint64_t> last_read_elsewhere = {};
    // The library closes the file.
    bool is_closing = false;
    // The first failure that was not reported to it (driver.hpp).
    std::exception_ptr failure = {};
  };
  Allocations allocations;

 private:
  using Written = std::map<std::uint64_t, std::vector<std::byte>>;
  void allocate_at(std::uint64_t begin, std::uint64_t end);

  base::ByteSource* before_ = nullptr;
  std::string path_;
  std::uint64_t before_bytes_ = 0;  // of the file, unless truncated
  std::uint64_t size_ = 0;
  Written written_;  // by offset; without overlaps
};

// The changes as bytes of a file to be written.
std::vector<format::Literal> literals_of(const Image& image);

// Call both under a Lock, which is held while the file is used. Files have the metadata of HDF5 1.8, which all versions
// from 1.10 to 2 read and write; objects have no time stamps, which would make equal files differ.
Handle create_in(Image& image);
enum class Access { read, write };
Handle open_in(Image& image, Access access);
// Afterwards all changes are in the image. Failures of writing are reported here, not earlier.
void close_in(Handle file, Image& image);

// A placeholder for data that the library never sees: nothing is written or read if the library is told to transfer
// data from or to this address.
void* elsewhere() noexcept;

// The place of a chunk in the file of the driver.
struct ChunkPlace {
  std::uint64_t offset = 0;   // from the first byte of the file
  std::uint64_t bytes = 0;    // as stored
  std::uint32_t skipped = 0;  // mask of filters that were not applied
};
// The chunk that begins with that element, in the time that the library needs to find one chunk, whatever the chunk
// index. Empty: it does not exist, or the library cannot find it.
std::optional<ChunkPlace> find_chunk(hid_t file, hid_t dataset, const hsize_t* first);

}  // namespace lq::hdf5
