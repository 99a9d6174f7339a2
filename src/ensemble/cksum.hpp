// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sum of the program cksum (POSIX), of a file or of bytes that pass while they are read for something else.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "ensemble/pace.hpp"
#include "storage/forwarding.hpp"
#include "storage/transport.hpp"

namespace lq::ensemble {

class Cksum {
 public:
  Cksum() = default;
  // Of the given number of bytes, which may come in any order: the XOR of what all of them contribute.
  Cksum(std::uint32_t contributions, std::uint64_t bytes) noexcept : crc_(~contributions), length_(bytes) {}

  void add(base::Bytes bytes) noexcept;
  std::uint32_t value() const noexcept;  // of what was added so far

 private:
  std::uint32_t crc_ = 0xffffffff;  // of the bytes with their bits reversed, as CRC-32 of zlib counts
  std::uint64_t length_ = 0;
};

// What bytes with so many after them contribute.
std::uint32_t cksum_contribution(base::Bytes bytes, std::uint64_t behind) noexcept;

// As many bytes of a file as the block takes, one at least. truncated: it ends before.
base::Bytes read_block(storage::File& file, std::uint64_t offset, base::MutableBytes block);
// Of bytes of a file, or of the file that is in pieces where it describes a set of subfiles. truncated: it ends before.
std::uint32_t whole_cksum_of(const std::string& path, std::uint64_t offset, std::uint64_t length);
std::uint32_t whole_cksum_of(const std::string& path);
// Of all bytes of this file.
std::uint32_t cksum_of(const std::string& path);

// The CRC of POSIX `cksum` of files that are read anyway, in whatever pieces and order, by whatever threads.

// Which bytes of a file have passed, and what they contribute to its CRC. Any thread.
class PassedBytes {
 public:
  explicit PassedBytes(std::uint64_t file_bytes) : file_bytes_(file_bytes) {}

  // Those that have passed before, or lie after the end, count for nothing.
  void add(std::uint64_t offset, base::Bytes bytes);
  // Reads what has not passed; when nobody adds any more. truncated: the file is shorter now.
  std::uint32_t cksum(storage::File& file);

 private:
  struct Piece {
    std::uint64_t begin = 0, end = 0;
  };
  // The first bytes from `offset` on, below `end`, that have not passed; nothing where there are none.
  Piece first_gap(std::uint64_t offset, std::uint64_t end) const;
  // The same, which from now on have passed.
  Piece take(std::uint64_t offset, std::uint64_t end);

  std::uint64_t file_bytes_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> passed_;  // end by begin; they neither overlap nor touch
  std::atomic<std::uint32_t> contributions_ = 0;
};

// The files of `inner`, each of which is summed while it is read.
class CksumInPassing final : public storage::ForwardingTransport {
 public:
  // `pace` may be null.
  explicit CksumInPassing(storage::Transport& inner, Pace* pace = nullptr) : ForwardingTransport(inner), pace_(pace) {}

  std::unique_ptr<storage::File> open_read(const std::string& path) override;
  // Of all bytes of a file; those that nobody asked for are read now.
  std::uint32_t cksum(const std::string& path);

 private:
  struct Summed {
    std::shared_ptr<storage::File> file;  // as it was opened first
    std::shared_ptr<PassedBytes> passed;
  };
  Summed& opened(const std::string& path, std::shared_ptr<storage::File> file);

  std::unique_ptr<storage::File> opened_at_its_pace(const std::string& path);

  Pace* pace_;
  std::mutex mutex_;
  std::map<std::string, Summed> files_;
};

}  // namespace lq::ensemble
