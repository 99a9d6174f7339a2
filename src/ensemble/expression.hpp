// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Expressions of `lq find`: "beta=6.0 trajectory>=1000 not damaged" as a condition of SQL with parameters. Nothing of
// what was typed becomes part of the statement.
//
//   any        = all { "or" all }
//   all        = one { ["and"] one }
//   one        = "not" one | "(" any ")" | name [ comparison value ]
//   comparison = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | "~" | "!~"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ensemble/database.hpp"

namespace lq::ensemble {

struct Condition {
  std::string sql;                      // over the table `files`; "1" for an empty expression
  std::vector<Value> values;            // of its parameters, in order
  std::vector<std::string> properties;  // names that are those of no column
};

// invalid_argument says where, and what was expected.
Condition parse_expression(std::string_view text);

// The SQL of a column as find() calls it; invalid_argument lists the names there are.
std::string_view column_named(std::string_view name);
std::vector<std::string> column_names();

}  // namespace lq::ensemble
