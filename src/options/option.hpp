// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options as tables: one row per option says its name, what it means and entails, its values, and which members of the
// structs of C++ and C hold it. From the rows come the defaults and the translation of the C API, the comparison
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

// Whether ranks may differ in it.
enum class Ranks {
  same,      // compared
  resolved,  // what it comes to is compared: of a precision that is not given, that of the field
  own,       // each as it likes
};

struct Choice {
  std::string_view name;
  int number;                      // in C
  bool is_other_spelling = false;  // of a choice above
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

// How the option is kept. `options` and `c` point at the structs of the table the row is in.
struct Member {
  Kind kind = Kind::flag;
  std::span<const Choice> choices = {};
  std::vector<CMember> c = {};
  std::string (*text)(const void* options) = nullptr;  // the value; empty for one that is not given
  // Sets it from a text; invalid_argument calls the option `shown`.
  void (*take)(void* options, std::string_view text, const Option& row, std::string_view shown) = nullptr;
  void (*to_c)(const void* options, void* c) = nullptr;
  void (*from_c)(void* options, const void* c, const Option& row) = nullptr;
  void (*lend)(void* c, const char* text) = nullptr;  // texts of C are borrowed; nullptr for other kinds
};

struct Option {
  std::string_view name;      // in C++, C and Python; `lq` writes it with dashes
  std::string_view meaning;   // half a line, for "lq VERB --help"
  std::string_view advice;    // what it entails, and when to leave it alone
  std::string_view off = {};  // half a line for "--no-NAME" of flags that are on
  Ranks ranks = Ranks::same;
  Bounds bounds = {};
  std::vector<std::string_view> aliases = {};  // older names, which keep working in Python and `lq`
  std::vector<std::string_view> verbs = {};    // of `lq`, where not all of the table have it
  std::vector<Shorthand> shorthands = {};      // flags of `lq` in its place
  std::string path = {};                       // of the member in C++, where it is not the name: "route.strategy"
  std::string_view not_in_lq = {};             // why `lq` has no argument for it
  char letter = 0;                             // of `lq`: "-j"; 0: none
  bool is_extents = false;                     // a text of them, for which Python takes numbers, too
  Member member = {};
};

struct Table {
  std::string_view name;                         // of the struct of C++
  std::string_view c_name;                       // of the struct of C; empty: none
  std::string_view summary;                      // what has these options
  std::string_view base = {};                    // another table whose options are taken, too
  std::vector<std::string_view> functions = {};  // of Python that take them
  std::vector<std::string_view> verbs = {};      // of `lq`
  std::size_t c_size = 0;
  std::vector<CMember> others = {};  // members of the struct of C that are no options
  std::vector<Option> rows = {};
  std::shared_ptr<const void> defaults = nullptr;  // a struct of C++
};

// All of them, in the order of the reference page.
std::vector<const Table*> tables();
// That of one struct: "WriteOptions".
LQ_INNER const Table& table_named(std::string_view name);

// The row of that name or alias; nullptr: none.
const Option* find(const Table& table, std::string_view name);
// invalid_argument lists the names there are.
LQ_INNER const Option& row_of(const Table& table, std::string_view name);
// Throws invalid_argument: "NAME is "FOUND", expected EXPECTED".
[[noreturn]] LQ_INNER void reject(std::string_view name, std::string_view found, const std::string& expected);
// "a whole number from 0", "one of none, data, full", ...
std::string expected_of(const Option& row);
// Of kind choice, without other spellings.
std::vector<std::string_view> choices_of(const Option& row);
// "chunk-bytes"
std::string dashed(std::string_view name);

// An argument of `lq`: its names, and what it stands for; empty: a value follows it.
struct Argument {
  std::vector<std::string> names = {};
  std::string_view value = {};
  std::string_view meaning = {};  // of a shorthand
};
// Shorthands, or "--name"; "--no-name" for a flag that `options`, with the defaults of a verb, have on.
std::vector<Argument> arguments_of(const Option& row, const void* options);

// All tables as one JSON array, for other languages and the reference page.
std::string tables_json();

}  // namespace lq::options
