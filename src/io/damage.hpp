// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locates damage in a payload. The checksums of slices name the slice. Within it the two sums of the SciDAC
// checksum, rotated by site rank mod 29 and mod 31, and the linearity of the CRC identify the site and
// the byte of a single damaged byte; for gauge links the distance from SU(N) shows which are damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/report.hpp>

#include "base/byte_source.hpp"
#include "engine/transfer_stats.hpp"

namespace lq::io {

// A single damaged byte, solved from checksums. For an error pattern e at byte p of a site the CRC changes by a
// value v(p, e) that does not depend on the data (the CRC is linear). A site of rank r then changes the sums by
// rotl(v, r mod 29) and rotl(v, r mod 31): given both changes, few (p, e, r mod 899) are possible.

struct SingleByte {
  std::uint64_t rank_mod_899 = 0;  // of the damaged site
  std::uint64_t byte_of_site = 0;
  std::uint8_t change = 0;  // exclusive-or of the correct and the damaged byte
};

// All single bytes whose damage changes the sums by `change` (exclusive-or of stored and found).
std::vector<SingleByte> solve_single_byte(const Checksum& change, std::uint64_t site_bytes);

// Local. Findings about the damage of a field whose data gave `stats`: at least one finding of severity
// error, with byte ranges, sites and slices.
std::vector<Finding> locate_damage(base::ByteSource& file, const Catalog& catalog, const FieldEntry& entry,
                                   const engine::TransferStats& stats);

// A damaged byte of a file.
struct CorrectByte {
  std::uint64_t offset = 0;
  std::byte right{};
  std::byte found{};
  std::optional<std::int64_t> slice = {};  // the slice whose sum identifies it; else the field's sum does
};

// Local. Bytes of the field that the sums identify and prove, without a second candidate: at most one for each slice,
// or one in total if there are no sums of slices.
std::vector<CorrectByte> correct_bytes(base::ByteSource& file, const Catalog& catalog, const FieldEntry& entry,
                                       const engine::TransferStats& stats);

// Appended to "bytes {} to {}" of a field's sequence of sites: empty if they are bytes of the file.
std::string_view of_sites(const Payload& payload) noexcept;

// "link t, row 0, column 2, imaginary part": the number that a byte of a site belongs to.
std::string describe_byte(const Payload& payload, std::uint64_t byte_of_site);

}  // namespace lq::io
