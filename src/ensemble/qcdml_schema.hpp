// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The elements of QCDml documents of configurations, in their order (docs/formats/qcdml.md 2 and 3), as a table that
// writes and checks them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lq::ensemble::qcdml {

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

}  // namespace lq::ensemble::qcdml
