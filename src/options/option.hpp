// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options as tables: one row per option states its name, its meaning and consequences, its values, and the members of
// the C++ and C structs that hold it. The rows provide the defaults and the translation of the C API, the comparison
// between ranks, the arguments of `lq`, the keyword arguments of Python and docs/reference/options.md. A new option is
// a member of the public structs and a row (docs/design/0017-options-by-table.md).
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/inner.hpp"

namespace lq::options {

enum class Kind { flag, whole, count, real, text, choice, texts, box, callback };

// How an option is compared between ranks.
enum class Ranks {
  same,      // compared
  resolved,  // the effective value is compared: the precision of the field if none is given
  own,       // ranks may differ
};

struct Choice {
  std::string_view name;
  int number;                      // in C
  bool is_other_spelling = false;  // of a choice listed before
};

struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

// "--no-physics" for "never".
struct Shorthand {
  std::string_view flag;
  std::string_view value;
  std::string_view meaning;
};

struct CMember {
  std::string_view name;
  std::string_view type;  // "int", "uint64", "double", "text", "size", "pointer"
  std::size_t offset;
};

struct Option;

// Access to the stored value. `options` and `c` point to the structs of the table that has the row.
struct Member {
  Kind kind = Kind::flag;
  std::span<const Choice> choices = {};
  std::vector<CMember> c = {};
  std::string (*text)(const void* options) = nullptr;  // the value; empty if not given
  // Sets it from a text; invalid_argument names the option `shown`.
  void (*take)(void* options, std::string_view text, const Option& row, std::string_view shown) = nullptr;
  void (*to_c)(const void* options, void* c) = nullptr;
  void (*from_c)(void* options, const void* c, const Option& row) = nullptr;
  void (*lend)(void* c, const char* text) = nullptr;  // C structs borrow texts; nullptr for other kinds
};

struct Option {
  std::string_view name;      // in C++, C and Python; `lq` writes it with dashes
  std::string_view meaning;   // half a line, for "lq VERB --help"
  std::string_view advice;    // consequences, and when to keep the default
  std::string_view off = {};  // half a line for "--no-NAME" if the flag is on by default
  Ranks ranks = Ranks::same;
  Bounds bounds = {};
  std::vector<std::string_view> aliases = {};  // older names, which keep working in Python and `lq`
  std::vector<std::string_view> verbs = {};    // of `lq`, if only some of the table's verbs have it
  std::vector<Shorthand> shorthands = {};      // flags of `lq` instead of "--name"
  std::string path = {};                       // of the member in C++, if it differs from the name: "route.strategy"
  std::string_view not_in_lq = {};             // why `lq` has no argument for it
  char letter = 0;                             // of `lq`: "-j"; 0: none
  bool is_extents = false;                     // the text is a list of extents; Python also accepts numbers
  Member member = {};
};

struct Table {
  std::string_view name;                         // of the struct of C++
  std::string_view c_name;                       // of the struct of C; empty: none
  std::string_view summary;                      // the operation that has these options
  std::string_view base = {};                    // another table whose options are accepted as well
  std::vector<std::string_view> functions = {};  // Python functions that accept them
  std::vector<std::string_view> verbs = {};      // verbs of `lq`
  std::size_t c_size = 0;
  std::vector<CMember> others = {};  // members of the C struct that are not options
  std::vector<Option> rows = {};
  std::shared_ptr<const void> defaults = nullptr;  // a struct of C++
};

// All tables, in the order of the reference page.
std::vector<const Table*> tables();
// The table of one struct: "WriteOptions".
LQ_INNER const Table& table_named(std::string_view name);

// The row of that name or alias; nullptr: none.
const Option* find(const Table& table, std::string_view name);
// invalid_argument lists the existing names.
LQ_INNER const Option& row_of(const Table& table, std::string_view name);
// Throws invalid_argument: "NAME is "FOUND", expected EXPECTED".
[[noreturn]] LQ_INNER void reject(std::string_view name, std::string_view found, const std::string& expected);
// "a whole number from 0", "one of none, data, full", ...
std::string expected_of(const Option& row);
// The values of an option of kind choice, without other spellings.
std::vector<std::string_view> choices_of(const Option& row);
// "chunk-bytes"
std::string dashed(std::string_view name);

// An argument of `lq`: its names, and the value it stands for; empty: a value follows.
struct Argument {
  std::vector<std::string> names = {};
  std::string_view value = {};
  std::string_view meaning = {};  // of a shorthand
};
// Shorthands, or "--name"; "--no-name" for a flag that is on in `options`, which hold the defaults of a verb.
std::vector<Argument> arguments_of(const Option& row, const void* options);

// All tables as one JSON array, for other languages and the reference page.
std::string tables_json();

}  // namespace lq::options
