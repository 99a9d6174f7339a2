// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A single damaged byte, solved from checksums. For an error pattern e at byte p of a site the CRC changes by a
// value v(p, e) that does not depend on the data (the CRC is linear). A site of rank r then changes the sums by
// rotl(v, r mod 29) and rotl(v, r mod 31): given both changes, few (p, e, r mod 899) are possible.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/report.hpp>

namespace lq::io {

struct SingleByte {
  std::uint64_t rank_mod_899 = 0;  // of the damaged site
  std::uint64_t byte_of_site = 0;
  std::uint8_t change = 0;  // exclusive-or of the right and the damaged byte
};

// All single bytes whose damage changes the sums by `change` (exclusive-or of stored and found).
std::vector<SingleByte> solve_single_byte(const Checksum& change, std::uint64_t site_bytes);

// How the CRC-32 of a message of any length changes when the byte `bytes_behind` bytes before its end changes by `e`.
std::uint32_t crc_change(std::uint8_t e, std::uint64_t bytes_behind);

}  // namespace lq::io
