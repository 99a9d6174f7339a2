// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of modes as bytes: its index, read and planned, and what is done to a damaged one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/modes.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "format/findings.hpp"
#include "format/format.hpp"
#include "format/lime/walk.hpp"

namespace lq::format::modes {

// The first record of a set of modes: what all its vectors have in common (formats/modes.md 3).

using lq::modes::Description;
using lq::modes::Mode;

namespace type {
inline constexpr std::string_view head = "limequat-modes";
inline constexpr std::string_view index = "limequat-modes-index";
inline constexpr std::string_view data = "limequat-mode-data";
inline constexpr std::string_view coefficients = "limequat-mode-coefficients";
inline constexpr std::string_view mode = "limequat-mode";

inline constexpr std::array<std::string_view, 5> all{head, index, data, coefficients, mode};
}  // namespace type

// invalid_argument: what cannot be a set.
void check(const Description& description);

std::string encode(const Description& description);
// malformed: it is none. The room is that of the index, which this record does not tell.
Description decode_description(std::string_view document);

// What the document says of modes that a repair could not save (format/format.hpp); and the same document with one
// such text more.
std::vector<std::string> unproven_texts(std::string_view document);
std::string with_unproven(std::string_view document, std::string_view text);

// Where a vector is whose data begin at `offset`, or the coefficients of one.
Payload payload_at(const Description& description, std::uint64_t offset, bool is_whole = true);
// Slices of the slowest dimension, each of which has sums of its own.
std::uint64_t slices_of(const Description& description, bool is_whole = true);

// What is known of a vector as texts of its field, and back; texts of other names are left alone. invalid_argument: a
// text is no number.
Metadata texts_of(const Mode& mode);
Mode mode_of(const Metadata& texts);

// The index of a set of modes: blocks of entries of equal size, each with a sum of its own (formats/modes.md 4). An
// entry also stands after the data of its mode, so that a damaged index can be rebuilt.

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
// The same for who adds modes: malformed also where the index is damaged.
Head read_whole_head(base::ByteSource& file);

// What bytes go where for a new set of modes, and for one mode more.

// The bytes of a set without modes: all but the zeros of its index, up to `end`.
struct NewSet {
  std::vector<Literal> literals;
  std::uint64_t end = 0;
  PlacedBlock block;
};
// `unproven`: what repairs have said of the set that it is made from.
NewSet plan_set(const Description& description, const std::vector<std::string>& unproven = {});

// A mode after those that are there, or the first one of a new set.
Layout plan_mode(const FieldRequest& request);

// Which modes are in a set: by its index alone, or, where that is damaged, record by record.

Catalog scan_set(base::ByteSource& file, const Limits& limits);

// A mode as its records tell, whatever the index says.
struct FoundMode {
  Entry entry;
  std::uint64_t end = 0;  // after its last record
};
// All whose records are whole, in the order of the file, committed or not.
std::vector<FoundMode> all_modes(base::ByteSource& file, const Description& description,
                                 const std::vector<Record>& records);
// Of these the first ones, without a gap.
std::vector<FoundMode> find_modes(base::ByteSource& file, const Description& description,
                                  const std::vector<Record>& records);

// A set whose index is damaged, or whose end is missing, becomes one of the modes that are whole; and the sums of a
// mode are put in their places (formats/modes.md 8).

void mend(base::EditedSource& file, const Limits& limits, Findings& done);
// In the record of the mode and in the index.
void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const Digest& sums);

}  // namespace lq::format::modes
