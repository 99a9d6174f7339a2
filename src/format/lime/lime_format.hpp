// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of formats over LIME: placing messages, explaining bytes, checking rules, repairing headers.
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

// A record to be written: known contents, or the space for contents that come later.
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

// The layout of one record in a separate message.
Layout plan_record(std::string_view type, std::string_view contents, std::uint64_t offset);

// A LIME file byte by byte, and the rules of LIME that no reader depends on.

// The meaning of a payload: its name, and the section of the format page about it.
struct Meaning {
  std::string name;
  std::string section;
};
using MeaningOf = std::function<Meaning(const Record&)>;

// The annotations cover the file without gaps, from byte 0 to its last byte.
std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog, const MeaningOf& meaning_of);

// Rules of LIME that no reader depends on, so a scan does not check them (formats/lime.md 6).

void check_headers(base::ByteSource& file, const Catalog& catalog, Findings& findings);

// Repairs damaged headers and padding (formats/lime.md 9): each field of a header has one correct value, or one that
// follows from the position of the next header.
struct RepairRules {
  // Types with no similar valid ones: a record type with a single different byte is taken for one of them.
  std::span<const std::string_view> types = {};
  // True if a message ends with record `i`, if the flags of that record and the next disagree; empty: it does.
  std::function<bool(const std::vector<Record>& records, std::size_t i)> ends_message = {};
  // Types that are always the first or the last record of their message: they tell a damaged flag from a lost record.
  std::span<const std::string_view> first_types = {}, last_types = {};
};

// What a repair took over although it does not follow from the rules of LIME. Damage next to what was repaired may have
// changed it, too: only something that proves these bytes excludes that.
struct Doubt {
  std::uint64_t record = 0;  // offset of its header
  std::string what;
  bool is_of_contents = true;  // proven if the contents of the record are
};

struct RepairedHeaders {
  std::vector<Record> records;
  bool is_cut = false;     // the last one ends after the end of the file
  bool is_broken = false;  // the last one says that its message continues, and no header follows
  std::vector<Doubt> doubts;
};

// Reports a doubt that nothing removes.
void report(const Doubt& doubt, const Record& record, Findings& done);

// Reports changes as warnings.
RepairedHeaders repair_headers(base::EditedSource& file, const RepairRules& rules, Findings& done);

// True if the magic number of a header occurs after `from`: possibly records.
bool may_hold_records(base::EditedSource& file, std::uint64_t from);

// Replaces the contents of a record, with any length; records after it move.
void replace_contents(base::EditedSource& file, const Record& record, std::string_view contents);
// Changes the type of a record, keeping its contents.
void replace_type(base::EditedSource& file, const Record& record, std::string_view type);
// Adds a record after `record`, in its message.
void add_record_behind(base::EditedSource& file, const Record& record, std::string_view type,
                       std::string_view contents);

}  // namespace lq::format::lime
