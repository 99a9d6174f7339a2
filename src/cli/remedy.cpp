// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "cli/text.hpp"
#include "options/option.hpp"

namespace lq::cli {
namespace {

bool is_part_of_name(char c) noexcept { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_part_of_value(char c) noexcept {
  return is_part_of_name(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == ':';
}

// Empty if `lq` has no such option. Options of the same name may be a flag in one table and a choice in another: the
// value decides.
std::string argument_for(std::string_view name, std::string_view value) {
  if (name == "idle_ranks") return "--idle-ranks";  // of lq::GridOptions, which has no table
  const std::string_view wanted = value == "true" ? "yes" : value == "false" ? "no" : value;
  std::string taking_a_value;
  for (const options::Table* table : options::tables()) {
    const options::Option* row = options::find(*table, name);
    if (row == nullptr) continue;
    for (const options::Argument& argument : options::arguments_of(*row, table->defaults.get())) {
      if (argument.value.empty()) {
        if (taking_a_value.empty()) taking_a_value = argument.names.front();
      } else if (wanted.empty() || argument.value == wanted) {
        return argument.names.front();
      }
    }
  }
  return value.empty() || taking_a_value.empty() ? taking_a_value : fmt::format("{} {}", taking_a_value, value);
}

std::size_t end_of(std::string_view text, std::size_t begin, bool (*belongs)(char) noexcept) {
  while (begin < text.size() && belongs(text[begin])) ++begin;
  return begin;
}

}  // namespace

std::string in_arguments(std::string_view sentence) {
  constexpr std::string_view mark = "options.", equals = " = ";
  std::string result;
  for (std::size_t at; (at = sentence.find(mark)) != std::string_view::npos;) {
    const std::size_t begin = at + mark.size(), end = end_of(sentence, begin, is_part_of_name);
    // A file may have this name: then it is at the beginning, in a folder, or in quotation marks.
    const bool is_word = at > 0 && (sentence[at - 1] == ' ' || sentence[at - 1] == '(');
    std::size_t rest = end;
    std::string_view value;
    if (sentence.substr(end).starts_with(equals)) {
      rest = end_of(sentence, end + equals.size(), is_part_of_value);
      value = sentence.substr(end + equals.size(), rest - end - equals.size());
    }
    const std::string_view name = sentence.substr(begin, end - begin);
    result += sentence.substr(0, at);
    const std::string argument = is_word ? argument_for(name, value) : std::string();
    result += argument.empty() ? sentence.substr(at, rest - at) : std::string_view(argument);
    sentence.remove_prefix(rest);
  }
  return result + std::string(sentence);
}

}  // namespace lq::cli
