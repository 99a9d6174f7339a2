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
  open,         // a group behind which elements of others may follow
  parameters,   // 1.3: pairs of name and value
  participant,  // 2.0: orcid with name and institution or without, or both of these
  text,
  filled,  // a text that is not empty
  uri,
  name,     // letters, digits, ".-_:", not beginning with a digit
  token,    // a text without blanks at its ends and in rows
  nmtoken,  // letters, digits, ".-_:"
  whole,    // from 0
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
  std::string_view uri;        // of its names
  std::span<const Node> root;  // what is in gaugeConfiguration
};

// An empty name is 1.3. invalid_argument lists those that there are.
const Schema& schema_named(std::string_view name);
// By the namespace of a document; nullptr: another one.
const Schema* schema_of(std::string_view uri);

// Empty when `value` is of that type, else what is expected.
std::string_view expected_of(Type type, std::string_view value);

// What the file of a configuration says that is in its document, too.
struct FileFacts {
  ildg::Cksums sums;
  std::vector<std::optional<std::uint32_t>> field_sums;  // of each gauge field, where it lies in one piece
  std::string field;                                     // "su3gauge"
  std::string precision;                                 // "single", "double"
  std::optional<double> plaquette;                       // as measured where it fits into memory, else as stated
  std::string lfn;                                       // empty: none
  std::string update;                                    // empty: not known
  std::string beta;                                      // empty: not known
  std::string modified;                                  // when it was written to
};

// unsupported: it holds no gauge field.
FileFacts facts_of(const std::string& path, const Limits& limits);

// The logical file name among the texts of a file; empty: none.
std::string lfn_in(const Catalog& catalog);
// What is wrong with one.
void check_lfn(const std::string& lfn, std::vector<Finding>& findings);

// A document that was held against the rules of its schema; nullptr: it has none that is known, which the findings say.
struct RuledDocument {
  base::xml::Element root;
  const Schema* schema = nullptr;
};
RuledDocument checked_by_rules(std::string_view text, std::vector<Finding>& findings);

Finding finding(Severity severity, std::string rule, std::string message, std::string expected = {},
                std::string found = {});

}  // namespace lq::ensemble::qcdml
