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

// Whether these bytes, four or more, end in the CRC of those before, little-endian.
inline bool ends_in_crc32(base::Bytes bytes) noexcept {
  const std::size_t end = bytes.size() - sizeof(std::uint32_t);
  return crc32(0, bytes.first(end)) == base::load_le<std::uint32_t>(bytes.data() + end);
}

// The portable reference that every other implementation must match bit for bit.
std::uint32_t crc32_portable(std::uint32_t crc, base::Bytes bytes) noexcept;

// Which implementation crc32() uses for short data: "isa-l", "libdeflate", "instruction" or "portable". Long data take
// the loops of this room where these are the faster ones (site_crc.hpp).
std::string_view crc32_provider() noexcept;

}  // namespace lq::kernels
