// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A row as an argument: its names, its help, and what a text does to the struct.
#include "cli/option_arguments.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::cli {
namespace {

std::string value_of(const options::Option& row) {
  switch (row.member.kind) {
    case options::Kind::flag:
      return "";
    case options::Kind::whole:
    case options::Kind::count:
      return "N";
    case options::Kind::real:
      return "X";
    case options::Kind::texts:
      return "NAME=TEXT";
    default:
      return row.name == "field" ? "NAME" : row.member.kind == options::Kind::choice ? "HOW" : "TEXT";
  }
}

}  // namespace

GivenOptions declare_options(Arguments& arguments, std::string_view verb, const options::Table& table, void* options) {
  const auto given = std::make_shared<std::set<std::string_view>>();
  const auto first_names = std::make_shared<std::map<std::string_view, std::string>>();
  for (const options::Option& row : table.rows) {
    if (!row.verbs.empty() && std::ranges::find(row.verbs, verb) == row.verbs.end()) continue;
    for (const options::Argument& made : options::arguments_of(row, options)) {
      Argument argument{.names = made.names, .value = value_of(row), .help = std::string(row.meaning)};
      const std::string shown = made.names.front();
      if (!made.value.empty()) {
        argument.value.clear();
        argument.help = std::string(made.meaning.empty() ? row.meaning : made.meaning);
      } else {
        for (const std::string_view choice : options::choices_of(row)) argument.choices.emplace_back(choice);
      }
      argument.repeats = row.member.kind == options::Kind::texts;
      argument.take = [&row, options, given, first_names, shown, fixed = made.value](const std::string& text) {
        given->insert(row.name);
        const std::string& first = first_names->try_emplace(row.name, shown).first->second;
        if (first != shown) throw UsageError(fmt::format("{} and {} exclude each other", first, shown));
        try {
          row.member.take(options, fixed.empty() ? std::string_view(text) : fixed, row, shown);
        } catch (const Error& error) {
          throw UsageError(error.what());
        }
      };
      arguments.add(std::move(argument));
    }
  }
  return given;
}

}  // namespace lq::cli
