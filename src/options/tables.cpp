// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All tables: finding rows, and the JSON form for other languages.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "options/agreed.hpp"
#include "options/structs.hpp"

namespace lq::options {
namespace {

constexpr std::string_view name_of(Kind kind) {
  constexpr std::string_view names[] = {"flag", "whole", "count", "real", "text", "choice", "texts", "box", "callback"};
  return names[static_cast<std::size_t>(kind)];
}

constexpr std::string_view name_of(Ranks ranks) {
  return ranks == Ranks::same ? "same" : ranks == Ranks::resolved ? "resolved" : "own";
}

void write(base::JsonWriter& json, const std::vector<CMember>& members) {
  json.begin_array();
  for (const CMember& member : members) {
    json.begin_object().member("name", member.name).member("type", member.type);
    json.member("offset", static_cast<std::uint64_t>(member.offset)).end_object();
  }
  json.end_array();
}

void write(base::JsonWriter& json, const Table& table, const Option& row) {
  json.begin_object().member("name", row.name).member("kind", name_of(row.member.kind));
  json.member("is_extents", row.is_extents);
  json.member("meaning", row.meaning).member("advice", row.advice).member("expected", expected_of(row));
  json.member("default", row.member.text(table.defaults.get()))
      .member("ranks", name_of(row.ranks))
      .member("cpp", row.path);
  json.key("choices").array(choices_of(row)).key("aliases").array(row.aliases);
  json.key("verbs").array(row.not_in_lq.empty() ? row.verbs.empty() ? table.verbs : row.verbs
                                                : std::vector<std::string_view>());
  json.member("not_in_lq", row.not_in_lq).key("arguments").begin_array();
  for (const Argument& argument : arguments_of(row, table.defaults.get())) {
    json.begin_object().key("names").array(argument.names).member("value", argument.value);
    json.member("meaning", argument.meaning).end_object();
  }
  json.end_array().key("members");
  write(json, row.member.c);
  json.end_object();
}

// Created on first use, so that a call pays for its own table only. Never destroyed, because threads of the program may
// still transfer while it exits.
template <Table (*make)()>
const Table& made() {
  static const Table& table = *new Table(make());
  return table;
}

struct Named {
  std::string_view name;
  const Table& (*table)();
};
#define LQ_NAMED(title, type, c, make) {#title, made<make>},
constexpr Named all_tables[] = {LQ_OPTION_STRUCTS(LQ_NAMED)};
#undef LQ_NAMED

}  // namespace

std::vector<const Table*> tables() {
  std::vector<const Table*> all;
  for (const Named& one : all_tables) all.push_back(&one.table());
  return all;
}

const Table& table_named(std::string_view name) {
  const auto found = std::ranges::find(all_tables, name, &Named::name);
  if (found == std::end(all_tables))
    throw Error(Code::internal, fmt::format("table of options {} does not exist", name));
  return found->table();
}

const Option* find(const Table& table, std::string_view name) {
  const auto is_called_so = [&](const Option& row) {
    return row.name == name || std::ranges::find(row.aliases, name) != row.aliases.end();
  };
  const auto found = std::ranges::find_if(table.rows, is_called_so);
  return found == table.rows.end() ? nullptr : &*found;
}

const Option& row_of(const Table& table, std::string_view name) {
  if (const Option* row = find(table, name)) return *row;
  std::vector<std::string> names;
  for (const Option& row : table.rows) names.emplace_back(row.name);
  const auto meant = base::nearest(name, names);
  throw Error(Code::invalid_argument, fmt::format("unknown option \"{}\"; {}", base::printable(name),
                                                  meant ? fmt::format("did you mean \"{}\"?", *meant)
                                                        : fmt::format("there are {}", fmt::join(names, ", "))));
}

void reject(std::string_view name, std::string_view found, const std::string& expected) {
  throw Error(Code::invalid_argument, fmt::format("{}: \"{}\" is not {}", name, base::printable(found), expected),
              {.expected = expected, .found = std::string(found)});
}

std::vector<std::string_view> choices_of(const Option& row) {
  std::vector<std::string_view> names;
  for (const Choice& choice : row.member.choices) {
    if (!choice.is_other_spelling) names.push_back(choice.name);
  }
  return names;
}

std::string expected_of(const Option& row) {
  const double least = row.bounds.least;
  const std::string from = std::isfinite(least) ? fmt::format(" from {}", least) : "";
  const std::string to = std::isfinite(row.bounds.most) ? fmt::format(" to {}", row.bounds.most) : "";
  switch (row.member.kind) {
    case Kind::flag:
      return "yes or no";
    case Kind::whole:
      return fmt::format("a whole number{}{} (32 bit)", from, to);
    case Kind::count:
      return fmt::format("a whole number from {}{} (64 bit)", std::max(least, 0.0), to);
    case Kind::real:
      return fmt::format("a number{}{}", from, to);
    case Kind::choice:
      return fmt::format("one of {}", fmt::join(choices_of(row), ", "));
    case Kind::texts:
      return "of the form NAME=TEXT";
    case Kind::text:
      return "a text";
    case Kind::box:
      return "a box of the lattice";
    case Kind::callback:
      break;
  }
  return "a function";
}

std::string dashed(std::string_view name) {
  std::string result(name);
  std::ranges::replace(result, '_', '-');
  return result;
}

std::vector<Argument> arguments_of(const Option& row, const void* options) {
  if (!row.not_in_lq.empty()) return {};
  std::vector<Argument> result;
  for (const Shorthand& shorthand : row.shorthands) {
    result.push_back({{fmt::format("--{}", shorthand.flag)}, shorthand.value, shorthand.meaning});
  }
  if (!result.empty()) return result;
  const bool is_flag = row.member.kind == Kind::flag;
  const bool is_on = is_flag && row.member.text(options) == "yes";
  const std::string dashes = is_on ? "--no-" : "--";
  Argument argument{.value = is_on ? "no" : is_flag ? "yes" : "", .meaning = is_on ? row.off : row.meaning};
  argument.names.push_back(dashes + dashed(row.name));
  if (row.letter != 0) argument.names.push_back({'-', row.letter});
  for (const std::string_view alias : row.aliases) argument.names.push_back(dashes + dashed(alias));
  return {argument};
}

std::string tables_json() {
  base::JsonWriter json;
  json.begin_array();
  for (const Table* const one : tables()) {
    const Table& table = *one;
    json.begin_object().member("name", table.name).member("c_name", table.c_name).member("summary", table.summary);
    json.member("base", table.base).member("c_size", static_cast<std::uint64_t>(table.c_size));
    json.key("functions").array(table.functions).key("verbs").array(table.verbs).key("others");
    write(json, table.others);
    json.key("options").begin_array();
    for (const Option& row : table.rows) write(json, table, row);
    json.end_array().end_object();
  }
  return json.end_array().take();
}

// The message for an option in which ranks differ.

std::vector<comm::StatedArgument> stated(const Table& table, const void* options, std::string_view within) {
  std::vector<comm::StatedArgument> result;
  for (const Option& row : table.rows) {
    if (row.ranks != Ranks::same || !row.path.starts_with(within)) continue;
    result.push_back({"the option " + std::string(row.name), row.member.text(options)});
  }
  return result;
}

}  // namespace lq::options
