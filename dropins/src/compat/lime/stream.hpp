// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The caller's FILE as positions of 64 bits.
#pragma once

#include <cstdint>
#include <cstdio>

namespace lq::compat::lime {

inline constexpr std::uint64_t position_limit = 1ULL << 63;

// Whether the FILE now stands there. A position of 2^63 and more is refused, not wrapped.
bool move_to(std::FILE* fp, std::uint64_t position) noexcept;

// The same, without touching a FILE that stands there already, as one that cannot seek always does.
bool move_to_if_elsewhere(std::FILE* fp, std::uint64_t position) noexcept;

// Size of the file behind a FILE; position_limit where there is none, or it is no plain file.
std::uint64_t file_size(std::FILE* fp) noexcept;

// A position in a record of this many bytes, moved by an offset, and whether it stayed inside; if not, the nearer end.
struct Moved {
  std::uint64_t position;
  bool inside;
};
Moved move_within(std::uint64_t position, std::int64_t offset, std::uint64_t bytes) noexcept;

}  // namespace lq::compat::lime
