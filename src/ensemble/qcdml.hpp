// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// QCDml documents: their elements, and the files that they describe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/qcdml.hpp>

#include "base/xml.hpp"

namespace lq::ensemble::qcdml {

// The elements of QCDml documents of configurations, in their order (docs/formats/qcdml.md 2 and 3), as a table that
// writes and checks them.

enum class Type {
  group,        // elements, in this order
  open,         // a group after which elements of other schemas may follow
  parameters,   // 1.3: pairs of name and value
  participant,  // 2.0: orcid, or name and institution, or both
  text,
  filled,  // a text that is not empty
  uri,
  name,     // letters, digits, ".-_:", not beginning with a digit
  token,    // a text without leading, trailing or repeated blanks
  nmtoken,  // letters, digits, ".-_:"
  whole,    // a number from 0
  real,
  date_time,
  precision,
  action,
  orcid,
  field,  // as in the record ildg-format: "su3gauge"
};

struct Node {
  std::string_view name;
  Type type = Type::text;
  bool is_optional = false;
  bool repeats = false;
  std::span<const Node> children = {};
};

struct Schema {
  std::string_view name;       // "1.3"
  std::string_view uri;        // of its namespace
  std::span<const Node> root;  // contents of gaugeConfiguration
};

// An empty name selects 1.3. invalid_argument lists the existing schemas.
const Schema& schema_named(std::string_view name);
// By the namespace of a document; nullptr: unknown.
const Schema* schema_of(std::string_view uri);

// Empty if `value` is of that type, else what is expected.
std::string_view expected_of(Type type, std::string_view value);

// Facts of a configuration's file that also appear in its document.
struct FileFacts {
  ildg::Cksums sums;
  std::vector<std::optional<std::uint32_t>> field_sums;  // of each gauge field, if it is contiguous
  std::string field;                                     // "su3gauge"
  std::string precision;                                 // "single", "double"
  std::optional<double> plaquette;                       // measured if it fits into memory, else as stated
  std::string lfn;                                       // empty: none
  std::string update;                                    // empty: unknown
  std::string beta;                                      // empty: unknown
  std::string modified;                                  // when it was written to
};

// unsupported: the file has no gauge field.
FileFacts facts_of(const std::string& path, const Limits& limits);

// The logical file name among the texts of a file; empty: none.
std::string lfn_in(const Catalog& catalog);
// Findings about a logical file name.
void check_lfn(const std::string& lfn, std::vector<Finding>& findings);

// A document checked against its schema; nullptr: its schema is unknown, which the findings report.
struct RuledDocument {
  base::xml::Element root;
  const Schema* schema = nullptr;
};
RuledDocument checked_by_rules(std::string_view text, std::vector<Finding>& findings);

Finding finding(Severity severity, std::string rule, std::string message, std::string expected = {},
                std::string found = {});

}  // namespace lq::ensemble::qcdml
