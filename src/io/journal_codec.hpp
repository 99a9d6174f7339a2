// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The journal of a file that is appended to, as bytes (docs/formats/journal.md): what the file was before, and, once
// all is known, which of its bytes change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"

namespace lq::io {

struct Journal {
  // Bytes of the file before that change. They lie within its old size; the pieces are in order and do not overlap.
  struct Piece {
    std::uint64_t offset = 0;
    std::vector<std::byte> before;
    std::vector<std::byte> after;  // as many
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  std::uint64_t bytes_before = 0;  // size of the file
  std::uint32_t start_crc = 0;     // CRC-32 of its first journal_start bytes
  bool is_complete = false;        // else nothing of what follows is known
  std::uint64_t bytes_after = 0;   // not less than before
  std::vector<Piece> pieces = {};
  friend bool operator==(const Journal&, const Journal&) = default;
};

inline constexpr std::uint64_t journal_start = 4096;
inline constexpr std::uint64_t largest_journal = 256 * base::mebi;

// The head alone where the journal is not complete.
std::vector<std::byte> encode_journal(const Journal& journal);
// Any bytes. Nothing: not even its head is there.
std::optional<Journal> decode_journal(base::Bytes bytes);

}  // namespace lq::io
