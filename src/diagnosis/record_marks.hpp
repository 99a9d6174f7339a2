// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads files of unknown contents: single numbers anywhere, and the marks of Fortran records.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::diagnosis {

// Single numbers anywhere in a file: a small file is held in memory, of a larger one the blocks used last.

inline constexpr std::uint64_t largest_held = 64 * base::mebi;

class CachedBytes {
 public:
  explicit CachedBytes(base::ByteSource& source);

  std::uint64_t size() const noexcept { return size_; }
  // The bytes from `offset` on, up to 64 KiB, valid until the next call; nullptr: the file ends before.
  const std::byte* at(std::uint64_t offset, std::size_t bytes);

 private:
  const std::vector<std::byte>& block(std::uint64_t number);

  base::ByteSource& source_;
  std::uint64_t size_;
  std::vector<std::byte> whole_;  // of a small file
  std::unordered_map<std::uint64_t, std::vector<std::byte>> blocks_;
  std::vector<std::byte> across_;  // bytes in two blocks
};

// Records of equal length, contiguous.
struct RecordRun {
  std::uint64_t position = 0;  // of its first byte, counted over all records
  std::uint64_t offset = 0;    // of the same byte in the file
  std::uint64_t length = 0;    // of each record, without its marks
  std::uint64_t records = 0;
};

struct RecordChain {
  int mark_bytes = 4;
  ByteOrder byte_order = ByteOrder::little;
  std::uint64_t begin = 0, end = 0;  // with the marks
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of all of them
  std::vector<RecordRun> runs;

  // The file offset of byte `position` of the records.
  std::uint64_t in_file(std::uint64_t position) const noexcept;
};

// Chains that begin at `begin` or up to `slack` bytes after it, within the file and up to `end`, and that contain
// `least` bytes or more; of chains that are the rest of another one only the longer one.
std::vector<RecordChain> find_chains(base::ByteSource& file, std::uint64_t begin, std::uint64_t end,
                                     std::uint64_t slack, std::uint64_t least);

// The contents of the records, without the marks.
class RecordContents final : public base::ByteSource {
 public:
  RecordContents(base::ByteSource& file, const RecordChain& chain) : file_(file), chain_(chain) {}
  const std::string& path() const noexcept override { return file_.path(); }
  std::uint64_t size() const override { return chain_.bytes; }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

 private:
  base::ByteSource& file_;
  const RecordChain& chain_;
};

}  // namespace lq::diagnosis
