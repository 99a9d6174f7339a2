// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/arguments.hpp"

#include "cli/address.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "cli/session.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

// The first long name: "--quiet" of "-q,--quiet"; aliases follow it.
const std::string& full_name(const Argument& argument) {
  for (const std::string& name : argument.names) {
    if (name.starts_with("--")) return name;
  }
  return argument.names.back();
}

template <class Number>
Number parse_number(const std::string& name, const std::string& text, const char* expected) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || stop != end) {
    throw UsageError(fmt::format("{}: \"{}\" is not {}", name, printable(text), expected));
  }
  return number;
}

void check_choice(const Argument& argument, const std::string& text) {
  const std::vector<std::string>& choices = argument.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end()) return;
  std::string hint = did_you_mean(text, choices);
  // A suffix in place of a format: "h5".
  for (const FormatInfo& format : formats()) {
    const bool is_choice = std::ranges::find(choices, format.name) != choices.end();
    if (hint.empty() && is_choice && std::ranges::find(format.suffixes, '.' + text) != format.suffixes.end()) {
      hint = fmt::format("; did you mean \"{}\"?", format.name);
    }
  }
  throw UsageError(
      fmt::format("{}: \"{}\" is none of {}{}", full_name(argument), printable(text), joined(choices, ", "), hint));
}

}  // namespace

void Arguments::add(const std::string& names, const std::string& value, const std::string& help,
                    std::function<void(const std::string&)> take, std::vector<std::string> choices) {
  arguments_.push_back({.names = split(names, ','),
                        .value = value,
                        .help = help,
                        .choices = std::move(choices),
                        .take = std::move(take)});
}

void Arguments::add_positional(const std::string& name, const std::string& help, bool repeats, bool is_file,
                               std::function<void(const std::string&)> take, std::vector<std::string> choices) {
  arguments_.push_back({.names = {name},
                        .value = name,
                        .help = help,
                        .choices = std::move(choices),
                        .is_positional = true,
                        .repeats = repeats,
                        .is_file = is_file,
                        .take = std::move(take)});
}

void Arguments::file(const std::string& name, std::string& target, const std::string& help) {
  add_positional(name, help, false, true, [&target](const std::string& text) { target = text; });
}

void Arguments::files(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  add_positional(name, help, true, true, [&target](const std::string& text) { target.push_back(text); });
}

void Arguments::optional_files(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  files(name, target, help);
  arguments_.back().is_optional = true;
}

Arguments::Arguments() = default;
Arguments::~Arguments() = default;

void Arguments::reads_contents() { arguments_.back().is_read = true; }

void Arguments::keeps_words() { arguments_.back().is_word = true; }

void Arguments::reads_contents_but_last() { arguments_.back().is_read = arguments_.back().ends_in_target = true; }

void Arguments::optional_words(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  add_positional(name, help, true, false, [&target](const std::string& text) { target.push_back(text); });
  arguments_.back().is_optional = true;
}

void Arguments::word(const std::string& name, std::string& target, const std::string& help,
                     std::vector<std::string> choices) {
  const auto take = [&target](const std::string& text) { target = text; };
  add_positional(name, help, false, false, take, std::move(choices));
}

void Arguments::flag(const std::string& names, bool& target, const std::string& help) {
  add(names, "", help, [&target](const std::string&) { target = true; });
}

void Arguments::text(const std::string& names, const std::string& value, std::string& target, const std::string& help,
                     std::vector<std::string> choices) {
  add(
      names, value, help, [&target](const std::string& text) { target = text; }, std::move(choices));
}

void Arguments::texts(const std::string& names, const std::string& value, std::vector<std::string>& target,
                      const std::string& help, std::vector<std::string> choices) {
  add(
      names, value, help, [&target](const std::string& text) { target.push_back(text); }, std::move(choices));
  arguments_.back().repeats = true;
}

void Arguments::number(const std::string& names, double& target, const std::string& help) {
  add(names, "X", help,
      [&target, names](const std::string& text) { target = parse_number<double>(names, text, "a number"); });
}

void Arguments::number(const std::string& names, int& target, const std::string& help) {
  add(names, "N", help, [&target, names](const std::string& text) {
    target = parse_number<int>(names, text, "a whole number (32 bit)");
  });
}

void Arguments::number(const std::string& names, std::uint64_t& target, const std::string& help) {
  add(names, "N", help, [&target, names](const std::string& text) {
    target = parse_number<std::uint64_t>(names, text, "a whole number from 0 (64 bit)");
  });
}

void Arguments::extents(const std::string& names, const std::string& value, Extents& target, const std::string& help) {
  add(names, value, help, [&target, names](const std::string& text) {
    try {
      target = parse_extents(text);
    } catch (const Error& error) {
      throw UsageError(fmt::format("{}: {}", names, error.what()));
    }
  });
}

void Arguments::limit_to(const std::string& name, std::vector<std::string> choices) {
  const auto is_called_so = [&](const Argument& argument) {
    return std::find(argument.names.begin(), argument.names.end(), name) != argument.names.end();
  };
  std::find_if(arguments_.begin(), arguments_.end(), is_called_so)->choices = std::move(choices);
}

void Arguments::join(const std::string& name, std::string& target, char separator) {
  const auto found = std::ranges::find_if(arguments_, [&](const Argument& argument) {
    return std::ranges::find(argument.names, name) != argument.names.end();
  });
  found->repeats = true;
  found->take = [&target, separator](const std::string& text) {
    if (!target.empty()) target += separator;
    target += text;
  };
}

bool Arguments::asks_for_help(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "-h" || word == "--help") return true;
  }
  return false;
}

void Arguments::unknown(const std::string& word) const {
  std::vector<std::string> names = {"--help"};
  for (const Argument& argument : arguments_) {
    if (!argument.is_positional) names.insert(names.end(), argument.names.begin(), argument.names.end());
  }
  const std::string name = word.substr(0, word.find('='));
  throw UsageError(fmt::format("unknown option \"{}\"{}", printable(name), did_you_mean(name, names)));
}

namespace {

// Assigns the words without a dash to the positional arguments in order; a repeated argument takes all that remain.
void deal_out(const std::vector<Argument>& arguments, const std::vector<std::string>& words,
              std::vector<std::vector<std::string>>& texts) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_positional) continue;
    if (next == words.size() && arguments[i].is_optional) continue;
    if (next == words.size()) throw UsageError(fmt::format("{} is missing", full_name(arguments[i])));
    const std::size_t end = arguments[i].repeats ? words.size() : next + 1;
    while (next < end) texts[i].push_back(words[next++]);
  }
  if (next < words.size()) {
    throw UsageError(fmt::format("one argument too many: \"{}\"", printable(words[next])));
  }
}

}  // namespace

std::string Arguments::path_of(const std::string& word, bool is_read, bool is_alone) {
  if (!is_read) return path_of_word(word);
  std::string path;
  if (is_pipe(word)) {
    require_one_rank(word, is_alone);
    path = pipes_.emplace_back(std::make_unique<StandardInput>(word))->path();
    renamed_.emplace_back(path, word == "-" ? std::string(standard_input) : word);
  } else if (is_packed(word)) {
    path = path_of_packed(word);
    renamed_.emplace_back(path, word);
  } else {
    path = path_of_word(word);
  }
  return path;
}

void Arguments::parse(const std::vector<std::string>& words, bool is_alone) {
  // CLI11 sorts the words; their meaning is decided here, so that messages and their order are Limequat's.
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::vector<std::string>> texts(arguments_.size());
  std::vector<CLI::Option*> options(arguments_.size());
  std::vector<std::string> alone;
  app.add_option("ARGUMENT", alone);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (argument.is_positional) continue;
    const std::string names = joined(argument.names, ",");
    options[i] = argument.value.empty() ? app.add_flag(names)
                                        : app.add_option(names, texts[i])->allow_extra_args(false)->expected(1);
    options[i]->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();
    throw UsageError(fmt::format("{}: its value is missing", message.substr(0, message.find(':'))));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  for (const std::string& word : app.remaining()) {
    if (word != "--") unknown(word);
  }
  deal_out(arguments_, alone, texts);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (argument.value.empty() && options[i]->count() > 0) argument.take("");
    if (texts[i].size() > 1 && !argument.repeats) {
      throw UsageError(fmt::format("{}: given {} times", full_name(argument), texts[i].size()));
    }
    for (const std::string& text : texts[i]) {
      check_choice(argument, text);
      const bool is_target = argument.ends_in_target && &text == &texts[i].back();
      argument.take(argument.is_file && !argument.is_word ? path_of(text, argument.is_read && !is_target, is_alone)
                                                          : text);
    }
  }
}

NumberedName parse_numbered_name(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) return {text};
  std::uint64_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + colon + 1, end, index);
  if (stop != end) return {text};
  if (failure != std::errc()) {
    throw UsageError(fmt::format("NAME:N: the number in \"{}\" is too large", printable(text)));
  }
  return {text.substr(0, colon), index};
}

// A row as an argument: its names, its help, and how a text sets the struct.

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
