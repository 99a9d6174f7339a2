// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of modes as bytes: its index, read and planned, and the repair of a damaged one.
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
#include "base/fnv1a.hpp"
#include "format/findings.hpp"
#include "format/format.hpp"
#include "format/lime/walk.hpp"

namespace lq::format::modes {

// The first record of a set of modes: the common properties of its vectors (formats/modes.md 3).

using base::fnv1a;
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

// invalid_argument: it cannot describe a set.
void check(const Description& description);

// `sums`: it ends with a sum of its bytes, as Limequat writes it since versions 1.1 and 2.1 of the format.
std::string encode(const Description& description, bool sums = true);
// malformed: it is not a description, or its sum is wrong. The index capacity is not in this record.
Description decode_description(std::string_view document);
bool has_sum(std::string_view document) noexcept;
// The document with the one byte corrected that its sum proves to be wrong; empty if there is no such byte.
std::optional<std::string> corrected(std::string_view document);

// Texts in the document about modes that a repair could not save (format/format.hpp); and the document with one
// more such text.
std::vector<std::string> unproven_texts(std::string_view document);
std::string with_unproven(std::string_view document, std::string_view text);

// The position of a vector whose data begin at `offset`, or of the coefficients of one.
Payload payload_at(const Description& description, std::uint64_t offset, bool is_whole = true);
// Slices of the slowest dimension, each with its own sums.
std::uint64_t slices_of(const Description& description, bool is_whole = true);

// Facts about a vector as texts of its field, and back; texts of other names are ignored. invalid_argument: a
// text is not a number.
Metadata texts_of(const Mode& mode);
Mode mode_of(const Metadata& texts);

// The index of a set of modes: blocks of entries of equal size, each with its own sum (formats/modes.md 4). An
// entry is also stored after the data of its mode, so that a damaged index can be rebuilt.

struct Entry {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;  // of the data
  Mode mode = {};
  Sums sums = {};  // of the field and of each slice

  // Otherwise its coefficients are stored.
  bool is_whole() const noexcept { return !mode.error; }
};

// The sums in entries.
std::vector<SumName> sum_names();

std::uint64_t entry_bytes(const Description& description);
std::vector<std::byte> encode(const Entry& entry, const Description& description);
// Empty if the bytes are not an entry of such a set.
std::optional<Entry> decode_entry(base::Bytes bytes, const Description& description);

struct Block {
  static constexpr std::uint64_t head_bytes = 48;

  std::uint64_t entry_bytes = 0;
  std::uint64_t room = 0;   // capacity in entries
  std::uint64_t first = 0;  // number of its first mode
  std::uint64_t count = 0;  // modes in it
  std::uint64_t next = 0;   // payload of the next block; 0: there is none
  friend bool operator==(const Block&, const Block&) = default;

  std::uint64_t bytes() const noexcept { return head_bytes + room * entry_bytes; }
};

std::vector<std::byte> encode(const Block& block);
std::optional<Block> decode_block(base::Bytes bytes);

// A block in the file.
struct PlacedBlock {
  Block block;
  std::uint64_t offset = 0;  // of the payload of its record
};

struct Head {
  Description description;
  std::uint64_t document_bytes = 0;  // of the description as stored
  bool has_sum = true;               // false: nothing proves the description
  std::vector<std::string> unproven = {};
  std::vector<PlacedBlock> blocks;  // from the first on, as far as they can be read
  bool is_whole = true;             // false: a block is damaged

  std::uint64_t size() const noexcept {
    return blocks.empty() ? 0 : blocks.back().block.first + blocks.back().block.count;
  }
};

inline constexpr std::uint64_t largest_document = 1 << 20;

// The contents of the first records. malformed: the file is not a set of modes, or its description is damaged.
Head read_head(base::ByteSource& file);
// The same for adding modes: malformed also if the index is damaged.
Head read_whole_head(base::ByteSource& file);

// Which bytes go where for a new set of modes, and for one more mode.

// The bytes of a set without modes: all but the zeros of its index, up to `end`.
struct NewSet {
  std::vector<Literal> literals;
  std::uint64_t end = 0;
  PlacedBlock block;
};
// `unproven`: marks of repairs in the set that it is made from.
NewSet plan_set(const Description& description, const std::vector<std::string>& unproven = {});

// A mode after the existing ones, or the first one of a new set.
Layout plan_mode(const FieldRequest& request);

// The modes of a set: from its index alone or, if that is damaged, record by record.

Catalog scan_set(base::ByteSource& file, const Limits& limits);

// A mode found by its records, independent of the index.
struct FoundMode {
  Entry entry;
  std::uint64_t end = 0;  // after its last record
};
// All modes with complete records, in file order, committed or not.
std::vector<FoundMode> all_modes(base::ByteSource& file, const Description& description,
                                 const std::vector<Record>& records);
// The first of these, up to the first gap.
std::vector<FoundMode> find_modes(base::ByteSource& file, const Description& description,
                                  const std::vector<Record>& records);

// Repairs a set with a damaged index, or a missing end, into one of the complete modes; and stores the sums of a
// mode (formats/modes.md 8).

void mend(base::EditedSource& file, const Limits& limits, Findings& done);
// In the record of the mode and in the index.
void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const Digest& sums);

}  // namespace lq::format::modes
