// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 of zlib (polynomial 0xedb88320 reflected, initial value and final xor 0xffffffff).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::kernels {

// Continues `crc` (0 at the start) over `bytes`; crc32(0, "123456789") == 0xcbf43926.
LQ_INNER std::uint32_t crc32(std::uint32_t crc, base::Bytes bytes) noexcept;

// True if these bytes, four or more, end in the little-endian CRC of the preceding ones.
inline bool ends_in_crc32(base::Bytes bytes) noexcept {
  const std::size_t end = bytes.size() - sizeof(std::uint32_t);
  return crc32(0, bytes.first(end)) == base::load_le<std::uint32_t>(bytes.data() + end);
}

// The portable reference that every other implementation must match bit for bit.
std::uint32_t crc32_portable(std::uint32_t crc, base::Bytes bytes) noexcept;

// The implementation that crc32() uses for short data: "isa-l", "libdeflate", "instruction" or "portable". Long data
// use the loops of this module if they are faster (site_crc.hpp).
std::string_view crc32_provider() noexcept;

}  // namespace lq::kernels
