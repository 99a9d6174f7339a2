// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options read from texts and from members of C, and the messages for values that are not accepted.
#include "options/values.hpp"

#include <cerrno>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::options {
namespace {

thread_local bool is_asked = false;

}  // namespace

void ask_to_stop() noexcept { is_asked = true; }
void forget_stop() noexcept { is_asked = false; }

void throw_if_stopped() {
  if (!is_asked) return;
  is_asked = false;
  throw Error(Code::io, "the application stopped the operation: its callback called lq_stop()",
              {.system_errno = ECANCELED});
}

namespace {

template <class Number>
Number number_in(std::string_view text, const Option& row, std::string_view shown) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  const auto value = static_cast<double>(number);
  const bool fits = value >= row.bounds.least && value <= row.bounds.most;
  if (text.empty() || failure != std::errc() || stop != end || !fits) reject(shown, text, expected_of(row));
  return number;
}

[[noreturn]] void reject_member(const std::string& sentence) { throw Error(Code::invalid_argument, sentence); }

}  // namespace

bool flag_in(std::string_view text, const Option& row, std::string_view shown) {
  if (text == "yes" || text == "true" || text == "on" || text == "1") return true;
  if (text == "no" || text == "false" || text == "off" || text == "0") return false;
  reject(shown, text, expected_of(row));
}

std::int64_t whole_in(std::string_view text, const Option& row, std::string_view shown) {
  return number_in<std::int32_t>(text, row, shown);
}

std::uint64_t count_in(std::string_view text, const Option& row, std::string_view shown) {
  return number_in<std::uint64_t>(text, row, shown);
}

double real_in(std::string_view text, const Option& row, std::string_view shown) {
  return number_in<double>(text, row, shown);
}

int choice_in(std::string_view text, const Option& row, std::string_view shown) {
  for (const Choice& choice : row.member.choices) {
    if (choice.name == text) return choice.number;
  }
  std::vector<std::string> names;
  for (const std::string_view name : choices_of(row)) names.emplace_back(name);
  const auto meant = base::nearest(text, names);
  const std::string hint = meant ? fmt::format("; did you mean \"{}\"?", *meant) : "";
  throw Error(Code::invalid_argument,
              fmt::format("{}: \"{}\" is none of {}{}", shown, base::printable(text), fmt::join(names, ", "), hint),
              {.expected = expected_of(row), .found = std::string(text)});
}

std::pair<std::string, std::string> metadata_in(std::string_view text, std::string_view shown) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) reject(shown, text, "of the form NAME=TEXT");
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::string real_text(double value) { return fmt::format("{}", value); }

std::string choice_text(std::span<const Choice> all, int number) {
  for (const Choice& choice : all) {
    if (choice.number == number) return std::string(choice.name);
  }
  return std::to_string(number);
}

std::string metadata_text(const Metadata& metadata) {
  std::string texts;
  for (const auto& [name, text] : metadata) texts += fmt::format("{} = {}; ", name, text);
  return texts;
}

std::string box_text(const Box& box) { return to_string(box.lower) + "+" + to_string(box.extents); }

int choice_of_c(int number, const Option& row) {
  for (const Choice& choice : row.member.choices) {
    if (choice.number == number) return number;
  }
  std::vector<std::string> all;
  for (const Choice& choice : row.member.choices) {
    if (!choice.is_other_spelling) all.push_back(fmt::format("{} ({})", choice.number, choice.name));
  }
  reject_member(fmt::format("{} is {}, expected {}", row.name, number, fmt::join(all, ", ")));
}

Metadata metadata_of(const lq_metadata* metadata, std::size_t count) {
  Metadata result;
  if (count > 0 && metadata == nullptr) reject_member("metadata is NULL");
  for (std::size_t i = 0; i < count; ++i) {
    if (metadata[i].name == nullptr) reject_member("name of metadata is NULL");
    if (metadata[i].text == nullptr) reject_member("text of metadata is NULL");
    result.emplace_back(metadata[i].name, metadata[i].text);
  }
  return result;
}

}  // namespace lq::options
