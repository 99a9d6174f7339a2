// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/help.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_writer.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

constexpr std::size_t widest_name = 26;  // of an option; a longer one has a line to itself

struct Row {
  std::string name, help;
};

std::size_t name_width(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) {
    if (width_of(row.name) <= widest_name) width = std::max(width, width_of(row.name));
  }
  return width;
}

// Two columns; a name that does not fit has its help on the next line.
void add_rows(Pieces& pieces, const std::vector<Row>& rows, std::size_t column) {
  const std::size_t width = line_width(), indent = column + 4;
  for (const Row& row : rows) {
    const std::size_t used = width_of(row.name) + 2;
    pieces.push_back({"  "});
    pieces.push_back({row.name, Style::name});
    std::string gap = used + 2 > indent ? "\n" + std::string(indent, ' ') : std::string(indent - used, ' ');
    pieces.push_back({gap + wrapped(row.help, indent, indent, width) + "\n"});
  }
}

void add_paragraph(Pieces& pieces, std::string_view text) {
  pieces.push_back({wrapped(text, 0, 0, line_width()) + "\n"});
}

std::string names_of(const Argument& argument) { return fmt::format("{}", fmt::join(argument.names, ", ")); }

std::string usage_of(const std::string& command, const Arguments& arguments) {
  std::string usage = fmt::format("{} [OPTIONS]", command);
  for (const Argument& argument : arguments.all()) {
    if (argument.is_positional) usage += fmt::format(" {}{}", names_of(argument), argument.repeats ? "..." : "");
  }
  return usage;
}

std::vector<Row> rows_of(const Arguments& arguments) {
  std::vector<Row> rows;
  for (const Argument& argument : arguments.all()) {
    std::string left = names_of(argument);
    if (argument.is_positional) {
      if (argument.repeats) left += "...";
    } else if (!argument.value.empty()) {
      left += " " + argument.value;
    }
    std::string help = argument.help;
    if (!argument.choices.empty()) help += fmt::format(" ({})", fmt::join(argument.choices, ", "));
    rows.push_back({std::move(left), std::move(help)});
  }
  rows.push_back({"-h, --help", "this text"});
  return rows;
}

}  // namespace

Pieces overview(const std::string& program) {
  Pieces pieces;
  pieces.push_back({"usage: ", Style::heading});
  pieces.push_back({program + " VERB [OPTIONS] ...\n\nReads, writes and checks files of lattice field theory.\n"});
  std::vector<Row> all;
  for (const Command& command : commands()) all.push_back({std::string(command.name), std::string(command.summary)});
  const std::size_t column = name_width(all);
  for (const std::string_view group : groups()) {
    std::vector<Row> rows;
    for (const Command& command : commands()) {
      if (command.group == group) rows.push_back({std::string(command.name), std::string(command.summary)});
    }
    pieces.push_back({fmt::format("\n{}\n", group), Style::heading});
    add_rows(pieces, rows, column);
  }
  const std::vector<Row> options = {
      {"--json", "results as JSON, one object per line"},
      {"-q, --quiet", "results, warnings and errors only"},
      {"-v, --verbose", "print more on standard error"},
      {"--version", "version; with -v what it was built with"},
      {"-h, --help", fmt::format("this text; \"{} VERB --help\" describes one verb, with examples", program)}};
  pieces.push_back({"\nOptions\n", Style::heading});
  add_rows(pieces, options, name_width(options));
  pieces.push_back({"\n"});
  add_paragraph(pieces,
                "Exit codes: 0 fine, 1 content differs or verification failed, 2 usage, 3 not readable or not a valid "
                "file, 4 environment (permission, space, MPI), 5 incomplete (an interrupted writer). Of several the "
                "highest.");
  return pieces;
}

Pieces verb_help(const std::string& program, const Command& command, const Arguments& arguments) {
  const std::string name = command.name.empty() ? program : fmt::format("{} {}", program, command.name);
  Pieces pieces;
  pieces.push_back({"usage: ", Style::heading});
  pieces.push_back({wrapped(usage_of(name, arguments), 7, 7, line_width()) + "\n\n"});
  add_paragraph(pieces, command.summary);
  pieces.push_back({"\n"});
  const std::vector<Row> rows = rows_of(arguments);
  add_rows(pieces, rows, name_width(rows));
  if (command.example.empty()) return pieces;
  pieces.push_back({"\nExamples\n", Style::heading});
  for (const Example& example : command.examples()) {
    const std::string purpose = wrapped(example.purpose, 0, 0, line_width() - 4);
    for (const std::string& line : split(purpose, '\n')) pieces.push_back({fmt::format("  # {}\n", line)});
    pieces.push_back({"  "});
    pieces.push_back({fmt::format("{}\n", example.command), Style::name});
  }
  return pieces;
}

std::string verb_help_json(const std::string& program, const Command& command, const Arguments& arguments) {
  base::JsonWriter json;
  json.begin_object().member("verb", command.name).member("group", command.group);
  json.member("summary", command.summary);
  json.member("usage", usage_of(fmt::format("{} {}", program, command.name), arguments));
  json.key("arguments").begin_array();
  for (const Argument& argument : arguments.all()) {
    json.begin_object().key("names").array(argument.names).member("value", argument.value);
    json.member("help", argument.help).key("choices").array(argument.choices);
    json.member("positional", argument.is_positional).member("repeats", argument.repeats).end_object();
  }
  json.end_array().key("examples").begin_array();
  for (const Example& example : command.examples()) {
    json.begin_object().member("purpose", example.purpose).member("command", example.command).end_object();
  }
  return json.end_array().end_object().take();
}

}  // namespace lq::cli
