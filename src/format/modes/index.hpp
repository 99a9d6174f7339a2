// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The index of a set of modes: blocks of entries of equal size, each with a sum of its own (formats/modes.md 4). An
// entry also stands after the data of its mode, so that a damaged index can be rebuilt.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "format/modes/description.hpp"

namespace lq::format::modes {

// FNV-1a of 64 bits.
std::uint64_t fnv1a(base::Bytes bytes) noexcept;

struct Entry {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;  // of the data
  Mode mode = {};
  Sums sums = {};  // of the field and of each slice

  // Or else its coefficients.
  bool is_whole() const noexcept { return !mode.error; }
};

// The sums that entries hold.
std::vector<SumName> sum_names();

std::uint64_t entry_bytes(const Description& description);
std::vector<std::byte> encode(const Entry& entry, const Description& description);
// Nothing where the bytes are no entry of such a set.
std::optional<Entry> decode_entry(base::Bytes bytes, const Description& description);

struct Block {
  static constexpr std::uint64_t head_bytes = 48;

  std::uint64_t entry_bytes = 0;
  std::uint64_t room = 0;   // for this many entries
  std::uint64_t first = 0;  // number of its first mode
  std::uint64_t count = 0;  // modes in it
  std::uint64_t next = 0;   // where the payload of the next block begins; 0: there is none
  friend bool operator==(const Block&, const Block&) = default;

  std::uint64_t bytes() const noexcept { return head_bytes + room * entry_bytes; }
};

std::vector<std::byte> encode(const Block& block);
std::optional<Block> decode_block(base::Bytes bytes);

// A block where it lies.
struct PlacedBlock {
  Block block;
  std::uint64_t offset = 0;  // of the payload of its record
};

struct Head {
  Description description;
  std::uint64_t document_bytes = 0;  // of the description as it is in the file
  std::vector<std::string> unproven = {};
  std::vector<PlacedBlock> blocks;  // from the first on, as far as they can be read
  bool is_whole = true;             // false: a block is damaged

  std::uint64_t size() const noexcept {
    return blocks.empty() ? 0 : blocks.back().block.first + blocks.back().block.count;
  }
};

// What the first records say. malformed: the file is no set of modes, or its description is damaged.
Head read_head(base::ByteSource& file);

}  // namespace lq::format::modes
