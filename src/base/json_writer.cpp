// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// JSON text. Whatever bytes come in, valid UTF-8 goes out.
#include "base/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::base {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

// As one UTF-16 unit, or a pair of them.
void append_escaped(std::string& out, char32_t code) {
  if (code >= 0x10000) {
    out += fmt::format("\\u{:04x}", 0xd800 + (static_cast<unsigned>(code - 0x10000) >> 10));
    code = 0xdc00 + ((code - 0x10000) & 0x3ff);
  }
  out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
}

// Escapes what a terminal does not show, so that JSON on a terminal is the same JSON.
void append_character(std::string& out, std::string_view character) {
  switch (character[0]) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (is_shown(character)) {
    out += character;
  } else {
    append_escaped(out, code_point(character));
  }
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string hex(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += replacement;
    } else {
      append_character(out, text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (first_.empty()) return;
  if (!first_.back()) text_ += ',';
  first_.back() = false;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  text_ += '{';
  first_.push_back(true);
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  text_ += '}';
  first_.pop_back();
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  text_ += '[';
  first_.push_back(true);
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  text_ += ']';
  first_.pop_back();
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_string(text_, name);
  text_ += ':';
  after_key_ = true;
  return *this;
}

bool JsonWriter::is_value_of(std::string_view name) const {
  std::string_view before = text_;
  if (!after_key_ || !before.ends_with("\":")) return false;
  before.remove_suffix(2);
  return before.ends_with(name) && before.substr(0, before.size() - name.size()).ends_with('"');
}

void JsonWriter::put_bytes_of_paths(const std::vector<std::string_view>& paths) {
  if (std::ranges::all_of(paths, [](std::string_view path) { return is_utf8(path); })) return;
  key("paths_bytes").begin_array();
  for (const std::string_view path : paths) value(hex(path));
  end_array();
}

JsonWriter& JsonWriter::value(std::string_view text) {
  const bool is_path = is_value_of("path");
  separate();
  append_string(text_, text);
  // A file name may be any bytes, which the text above cannot reproduce.
  if (is_path && !is_utf8(text)) key("path_bytes").value(hex(text));
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const std::string_view shortest(digits.data(), static_cast<std::size_t>(end - digits.data()));
  text_ += shortest;
  // Readers that distinguish integers from reals would turn -0 into 0 and 1 into an integer.
  if (shortest.find_first_of(".e") == std::string_view::npos) text_ += ".0";
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonWriter& JsonWriter::raw_members(std::string_view object) {
  const std::string_view members = object.substr(1, object.size() - 2);
  return members.empty() ? *this : raw(members);
}

std::string JsonWriter::take() {
  std::string finished = std::move(text_);
  *this = JsonWriter();
  return finished;
}

}  // namespace lq::base
