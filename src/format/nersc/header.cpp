// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/nersc/header.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/flat/flat.hpp"

namespace lq::format::nersc {
namespace {

// Takes a number off the front.
std::optional<int> take_number(std::string_view& text) noexcept {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view what) noexcept {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3
std::optional<Datatype> datatype_in(std::string_view text) {
  const auto dimensions = take_number(text);
  if (!dimensions || !take(text, "D_SU")) return {};
  const auto colors = take_number(text);
  if (!colors || !take(text, "_GAUGE")) return {};
  const bool whole = text == fmt::format("_{}x{}", *colors, *colors);
  if (!whole && !text.empty()) return {};
  return Datatype{*dimensions, *colors, whole};
}

}  // namespace

Datatype parse_datatype(std::string_view text) {
  const auto found = datatype_in(text);
  if (!found || found->colors < 2 || found->colors > 100) {
    base::fail(found ? Code::malformed : Code::unsupported,
               {.expected = "4D_SU3_GAUGE_3x3", .found = base::printable(text)},
               "unsupported DATATYPE {}; expected 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3 or the corresponding names for SU(N)",
               base::printable(text));
  }
  if (found->dimensions < 1 || found->dimensions > max_dimensions) {
    base::fail(Code::unsupported, {}, "lattices of {} dimensions are not read; expected 1 to {}", found->dimensions,
               max_dimensions);
  }
  return *found;
}

FloatingPoint parse_floating_point(std::string_view text) {
  std::string_view rest = text;
  FloatingPoint result;
  if (take(rest, "IEEE32")) {
    result.precision = Precision::single;
  } else if (take(rest, "IEEE64")) {
    result.precision = Precision::double_;
  } else {
    rest = "?";
  }
  if (rest == "BIG") {
    result.order = ByteOrder::big;
  } else if (rest == "LITTLE") {
    result.order = ByteOrder::little;
  } else if (!rest.empty()) {
    base::fail(Code::malformed, {.expected = "IEEE64BIG", .found = base::printable(text)},
               "FLOATING_POINT {} is none of IEEE32BIG, IEEE32LITTLE, IEEE64BIG, IEEE64LITTLE, IEEE32, IEEE64",
               base::printable(text));
  }
  return result;
}

// Readers pass over lines they do not know, some of them with buffers of 100 characters for a line: long texts are cut,
// and bytes that are no printable characters become %XX. PyQUDA and PyLatticeIO split every line at its equals signs
// and refuse more than one: no value of ours has any.

namespace {

constexpr std::string_view own_prefix = "LIMEQUAT_TEXT_";
constexpr std::size_t most_text_bytes = 16 * 1024;  // of all texts together
constexpr std::size_t piece_bytes = 24;             // before they are encoded, so that lines stay below 100 characters

// What the writer settles.
constexpr std::array<std::string_view, 17> of_numbers{
    "HDR_VERSION", "DATATYPE",    "STORAGE_FORMAT", "DIMENSION_1",      "DIMENSION_2",     "DIMENSION_3",
    "DIMENSION_4", "DIMENSION_5", "DIMENSION_6",    "DIMENSION_7",      "DIMENSION_8",     "LINK_TRACE",
    "PLAQUETTE",   "CHECKSUM",    "FLOATING_POINT", "SCIDAC_CHECKSUMA", "SCIDAC_CHECKSUMB"};

bool is_of_numbers(std::string_view key) noexcept {
  return key.empty() || key == begin_line || std::ranges::find(of_numbers, key) != of_numbers.end();
}

// What the writer adds by itself.
bool is_usual(const flat::HeaderLine& line) noexcept {
  return (line.key.starts_with("BOUNDARY_") && line.value == "PERIODIC") ||
         (line.key == "CREATOR" && line.value.starts_with("limequat "));
}

std::string encode(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const bool is_plain = c > ' ' && c <= '~' && c != '%' && c != '=';
    text += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string decode(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const auto code = text.size() >= 3 && text[0] == '%' ? base::parse_hex32(text.substr(1, 2)) : std::nullopt;
    bytes += code ? static_cast<char>(*code) : text[0];
    text.remove_prefix(code ? 3 : 1);
  }
  return bytes;
}

// A line ENSEMBLE_ID = text that may stand in a header as it is.
bool is_line(std::string_view key, std::string_view value) noexcept {
  const auto is_key = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  const auto is_value = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
  return !key.empty() && key.size() <= 40 && value.size() <= 200 && std::ranges::all_of(key, is_key) &&
         std::ranges::all_of(value, is_value) && !is_of_numbers(key) && !key.starts_with(own_prefix);
}

// A text as lines of ours.
std::string encoded_lines(std::string_view name, std::string_view text) {
  std::string lines = fmt::format("{}NAME = {}\n", own_prefix, encode(name));
  for (; !text.empty(); text.remove_prefix(std::min(piece_bytes, text.size()))) {
    lines += fmt::format("{}MORE = {}\n", own_prefix, encode(text.substr(0, piece_bytes)));
  }
  return lines;
}

// The lines of another header that say nothing of numbers; those that cannot stand as they are become a text.
std::string other_lines(std::string_view text) {
  std::string lines, kept;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = base::trim(line.substr(0, equals)), value = base::trim(line.substr(equals + 1));
    if (is_line(key, value)) {
      lines += fmt::format("{} = {}\n", key, value);
    } else if (value.find('=') != std::string_view::npos && !is_of_numbers(key) && !key.starts_with(own_prefix)) {
      kept += fmt::format("{} = {}\n", key, value);
    }
  }
  return kept.empty() ? lines : lines + encoded_lines(header_text, kept);
}

}  // namespace

std::span<const std::string_view> keys_of_numbers() noexcept { return of_numbers; }

Metadata texts_of(const flat::TextHeader& header) {
  Metadata texts;
  std::string lines;
  for (const flat::HeaderLine& line : header.lines) {
    if (line.key.empty()) continue;
    if (!line.key.starts_with(own_prefix)) {
      if (is_of_numbers(line.key) || is_usual(line)) continue;
      lines += fmt::format("{} = {}\n", base::printable(line.key), base::printable(line.value, most_header_bytes));
      continue;
    }
    // LIMEQUAT_TEXT_NAME begins a text, LIMEQUAT_TEXT_MORE goes on with it.
    if (line.key.ends_with("NAME")) {
      texts.emplace_back(decode(line.value), "");
    } else if (!texts.empty()) {
      texts.back().second += decode(line.value);
    }
  }
  // The lines of one header, whichever way they were stored.
  std::erase_if(texts, [&](const auto& text) {
    if (text.first == header_text) lines += text.second;
    return text.first == header_text;
  });
  if (!lines.empty()) texts.emplace(texts.begin(), header_text, lines);
  return texts;
}

Metadata held_texts(const Metadata& texts) {
  Metadata held;
  std::size_t bytes = 0;
  for (const auto& text : texts) {
    if (flat::is_measured(text.first)) continue;
    bytes += text.first.size() + text.second.size();
    if (bytes > most_text_bytes) break;
    held.push_back(text);
  }
  return held;
}

std::string lines_of(const Metadata& texts) {
  std::string lines;
  for (const auto& [name, text] : texts) {
    if (flat::is_measured(name)) continue;
    if (name == header_text) {
      lines += other_lines(text);
    } else if (is_line(name, text)) {
      lines += fmt::format("{} = {}\n", name, base::trim(text));
    } else {
      lines += encoded_lines(name, text);
    }
  }
  return lines;
}

}  // namespace lq::format::nersc
