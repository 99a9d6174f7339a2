// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The CRC of POSIX `cksum`: polynomial 0x04c11db7, most significant bit first, the length of the data after them.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"
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
// Of bytes of a file. truncated: it ends before.
std::uint32_t cksum_of(const std::string& path, std::uint64_t offset, std::uint64_t length);
// Of all of them.
std::uint32_t cksum_of(const std::string& path);

}  // namespace lq::ensemble
