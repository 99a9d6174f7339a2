// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What of a copy is there, as bytes (docs/formats/copied.md): of which source it is, and the sums of the blocks that
// have reached the target.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"

namespace lq::sets {

// A source as it was when the copy began.
struct Source {
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;    // nanoseconds
  std::uint32_t start_crc = 0;  // CRC-32 of its first start_bytes bytes
  friend bool operator==(const Source&, const Source&) = default;
};
inline constexpr std::uint64_t start_bytes = 4096;

struct CopiedBlock {
  std::uint64_t number = 0;
  std::uint32_t crc = 0;  // CRC-32 of its bytes
  friend bool operator==(const CopiedBlock&, const CopiedBlock&) = default;
};

struct Copied {
  Source source;
  std::uint64_t block_bytes = 0;
  std::vector<CopiedBlock> blocks = {};  // as they came; of equal numbers the last one counts
  friend bool operator==(const Copied&, const Copied&) = default;
};

inline constexpr std::size_t copied_head_bytes = 40, copied_block_bytes = 16;

std::vector<std::byte> encode_head(const Copied& copied);
std::vector<std::byte> encode_blocks(const std::vector<CopiedBlock>& blocks);
// Any bytes: the blocks up to the first that is torn or is none of the source. Nothing: no head, or one that
// contradicts itself.
std::optional<Copied> decode_copied(base::Bytes bytes);

// How many blocks a source has.
constexpr std::uint64_t blocks_of(std::uint64_t bytes, std::uint64_t block_bytes) noexcept {
  return bytes / block_bytes + (bytes % block_bytes != 0 ? 1 : 0);
}

}  // namespace lq::sets
