// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The CRC of POSIX `cksum`: polynomial 0x04c11db7, most significant bit first, the length of the data behind them.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"

namespace lq::catalogue {

class Cksum {
 public:
  void add(base::Bytes bytes) noexcept;
  std::uint32_t value() const noexcept;  // of what was added so far

 private:
  std::uint32_t crc_ = 0xffffffff;  // of the bytes with their bits reversed, as CRC-32 of zlib counts
  std::uint64_t length_ = 0;
};

// Of bytes of a file. truncated: it ends before.
std::uint32_t cksum_of(const std::string& path, std::uint64_t offset, std::uint64_t length);
// Of all of them.
std::uint32_t cksum_of(const std::string& path);

}  // namespace lq::catalogue
