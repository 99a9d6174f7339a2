// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file as it is and as it shall become: what is there, and the bytes that were written since, which stay in memory.
// Places that somebody else fills (the data of fields) are never touched, so that files of any size take little.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "format/format.hpp"

namespace lq::hdf5 {

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

}  // namespace lq::hdf5
