// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What formats over LIME share: messages put at known places, bytes explained, rules checked, damage put right.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"
#include "format/format.hpp"

namespace lq::format::lime {

// Messages as bytes at known places: headers, flags, padding. Contents that depend on the data are left open.

// A record to be written: contents that are known, or the space for contents that come later.
struct Piece {
  std::string type;
  std::string contents;
  std::optional<std::uint64_t> reserved;  // bytes; `contents` is not used

  std::uint64_t data_length() const noexcept { return reserved.value_or(contents.size()); }
};

struct Placed {
  std::vector<Literal> literals;       // neighbours joined
  std::vector<std::uint64_t> offsets;  // of the payload of each piece
  std::uint64_t end = 0;               // after the last padding
};

// One message: MB on the first piece, ME on the last. Throws as encode() does, and too_large past 2^64.
void place_message(const std::vector<Piece>& pieces, std::uint64_t offset, Placed& placed);

// The layout of one record in a message of its own.
Layout plan_record(std::string_view type, std::string_view contents, std::uint64_t offset);

// A LIME file byte by byte, and the rules of LIME that no reader depends on.

// What a payload is: its name, and the section of the format page about it.
struct Meaning {
  std::string name;
  std::string section;
};
using MeaningOf = std::function<Meaning(const Record&)>;

// The annotations tile the file: they begin at 0, end at its last byte and leave no gap.
std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog, const MeaningOf& meaning_of);

// Rules of LIME that no reader depends on, so that a scan does not look at them (formats/lime.md 6).

void check_headers(base::ByteSource& file, const Catalog& catalog, Findings& findings);

// Damaged headers and padding put right (formats/lime.md 9): each field of a header has one right value, or one that
// follows from where the next header is.
struct MendingRules {
  // Types that other records are not called like: one with a single other byte is taken for them.
  std::span<const std::string_view> types = {};
  // Whether a message ends with record `i`, where the flags of that record and the next disagree; none: it does.
  std::function<bool(const std::vector<Record>& records, std::size_t i)> ends_message = {};
};

struct MendedHeaders {
  std::vector<Record> records;
  bool is_cut = false;     // the last one reaches beyond the end of the file
  bool is_broken = false;  // the last one says that its message goes on, and no header follows
};

// What is done becomes warnings.
MendedHeaders mend_headers(base::EditedSource& file, const MendingRules& rules, Findings& done);

// Whether the magic number of a header stands anywhere behind `from`: bytes that may be records.
bool may_hold_records(base::EditedSource& file, std::uint64_t from);

// Other contents for a record, of whatever length; those of records after it move.
void replace_contents(base::EditedSource& file, const Record& record, std::string_view contents);
// Another type for a record, whose contents stay.
void replace_type(base::EditedSource& file, const Record& record, std::string_view type);
// A record behind `record`, in its message.
void add_record_behind(base::EditedSource& file, const Record& record, std::string_view type,
                       std::string_view contents);

}  // namespace lq::format::lime
