// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The caller's FILE as positions of 64 bits.
#pragma once

#include <cstdint>
#include <cstdio>

namespace lq::compat::lime {

inline constexpr std::uint64_t position_limit = 1ULL << 63;

// Returns true if the FILE is now at the position. A position of 2^63 or more is refused, not wrapped.
bool move_to(std::FILE* fp, std::uint64_t position) noexcept;

// The same, without a call if the FILE is there already, as is always true for one that cannot seek.
bool move_to_if_elsewhere(std::FILE* fp, std::uint64_t position) noexcept;

// Size of the file of a FILE; position_limit if there is none, or it is not a regular file.
std::uint64_t file_size(std::FILE* fp) noexcept;

// A position in a record of this many bytes, moved by an offset, and whether it stayed inside; if not, the nearer end.
struct Moved {
  std::uint64_t position;
  bool inside;
};
Moved move_within(std::uint64_t position, std::int64_t offset, std::uint64_t bytes) noexcept;

}  // namespace lq::compat::lime
