// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged headers and padding put right (formats/lime.md 9): each field of a header has one right value, or one that
// follows from where the next header is.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/edited_source.hpp"
#include "format/findings.hpp"

namespace lq::format::lime {

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
