// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The checksum of POSIX `cksum`, of a file or of bytes that are read for another purpose.
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
  // For the given number of bytes, which may come in any order: `contributions` is the XOR of their contributions.
  Cksum(std::uint32_t contributions, std::uint64_t bytes) noexcept : crc_(~contributions), length_(bytes) {}

  void add(base::Bytes bytes) noexcept;
  std::uint32_t value() const noexcept;  // of all bytes added so far

 private:
  std::uint32_t crc_ = 0xffffffff;  // of the bytes with their bits reversed, as zlib's CRC-32
  std::uint64_t length_ = 0;
};

// The contribution of bytes that are followed by `behind` others.
std::uint32_t cksum_contribution(base::Bytes bytes, std::uint64_t behind) noexcept;

// Reads as many bytes of a file as fit into the block, at least one. truncated: the file is shorter.
base::Bytes read_block(storage::File& file, std::uint64_t offset, base::MutableBytes block);
// The checksum of a range of a file, or of the file in pieces if it describes a set of subfiles. truncated: the file is
// shorter.
std::uint32_t whole_cksum_of(const std::string& path, std::uint64_t offset, std::uint64_t length);
std::uint32_t whole_cksum_of(const std::string& path);
// The checksum of all bytes of this file.
std::uint32_t cksum_of(const std::string& path);

// The CRC of POSIX `cksum` of files that are read anyway, in any pieces and order, by any threads.

// The bytes of a file that were read, and their contribution to its CRC. Any thread.
class PassedBytes {
 public:
  explicit PassedBytes(std::uint64_t file_bytes) : file_bytes_(file_bytes) {}

  // Bytes that were added before, or are after the end, are ignored.
  void add(std::uint64_t offset, base::Bytes bytes);
  // Reads the missing bytes; call it after the last add(). truncated: the file is shorter now.
  std::uint32_t cksum(storage::File& file);

 private:
  struct Piece {
    std::uint64_t begin = 0, end = 0;
  };
  // The first range from `offset` on, below `end`, that was not added; empty if there is none.
  Piece first_gap(std::uint64_t offset, std::uint64_t end) const;
  // The same range, which now counts as added.
  Piece take(std::uint64_t offset, std::uint64_t end);

  std::uint64_t file_bytes_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> passed_;  // end by begin; entries neither overlap nor touch
  std::atomic<std::uint32_t> contributions_ = 0;
};

// The files of `inner`; each is summed while it is read.
class CksumInPassing final : public storage::ForwardingTransport {
 public:
  // `pace` may be null.
  explicit CksumInPassing(storage::Transport& inner, Pace* pace = nullptr) : ForwardingTransport(inner), pace_(pace) {}

  std::unique_ptr<storage::File> open_read(const std::string& path) override;
  // The checksum of a whole file; bytes that were not read before are read now.
  std::uint32_t cksum(const std::string& path);

 private:
  struct Summed {
    std::shared_ptr<storage::File> file;  // the file first opened under this name
    std::shared_ptr<PassedBytes> passed;
  };
  Summed& opened(const std::string& path, std::shared_ptr<storage::File> file);

  std::unique_ptr<storage::File> open_paced(const std::string& path);

  Pace* pace_;
  std::mutex mutex_;
  std::map<std::string, Summed> files_;
};

}  // namespace lq::ensemble
