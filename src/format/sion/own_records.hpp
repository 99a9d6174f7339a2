// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The records that Limequat's own interface keeps beside the format, as far as they are told to people
// (formats/sion-records.md). Whether they are right is for src/checkpoint, which writes and checks them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"

namespace lq::format::sion {

inline constexpr std::size_t own_record_bytes = 64;
inline constexpr std::uint64_t own_chunk_end = 2 * own_record_bytes;  // of a chunk's width, which two records take

struct OwnRecord {
  std::string name;   // "set record"
  std::string value;  // "file 0 of 3 tasks, ..."
  const char* section = nullptr;
  bool is_tail = false;
  bool compressed = false;   // never said by a tail record
  std::uint64_t losses = 0;  // of a tail record: how many of 32 bytes follow, after the sizes of streams
};
inline constexpr std::uint64_t own_loss_bytes = 32;
// One of these, in words.
std::string own_loss(base::Bytes bytes);

// Nothing unless the bytes begin as one of them and are as long.
std::optional<OwnRecord> own_record(base::Bytes bytes);

}  // namespace lq::format::sion
