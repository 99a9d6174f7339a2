// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/flat/text_header.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/one_edit.hpp"
#include "base/text.hpp"
#include "format/flat/flat.hpp"

namespace lq::format::flat {

std::optional<std::string_view> TextHeader::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(lines, key, &HeaderLine::key);
  return found == lines.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

std::string_view TextHeader::require(std::string_view key) const {
  if (const auto value = find(key)) return *value;
  throw Error(Code::malformed, fmt::format("the header has no line {}, without which the data cannot be read", key));
}

std::optional<double> TextHeader::number(std::string_view key) const {
  const auto value = find(key);
  return value ? base::parse_double(*value) : std::nullopt;
}

TextHeader read_text_header(base::ByteSource& file, std::string_view last_line, std::size_t most) {
  TextHeader header;
  header.text.resize(most);
  header.text.resize(file.read_at(0, std::as_writable_bytes(std::span(header.text))));
  const std::string_view text = header.text;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  bool is_ended = false;
  std::size_t at = 0;
  while (!is_ended) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) {
      const bool is_cut = text.size() < most;
      throw Error(is_cut ? Code::truncated : Code::malformed,
                  fmt::format("there is no line {} in the first {} bytes{}", last_line, text.size(),
                              is_cut ? ", where the file ends; copy it again from its source" : ""));
    }
    is_ended = base::trim(text.substr(at, end - at)) == last_line;
    places.emplace_back(at, end + 1);
    at = end + 1;
  }
  header.text.resize(at);
  header.text.shrink_to_fit();
  const std::string_view kept = header.text;
  for (const auto& [begin, end] : places) {
    HeaderLine line{.key = {}, .value = {}, .offset = begin, .length = end - begin};
    const std::string_view content = kept.substr(begin, end - begin);
    const std::size_t equals = content.find('=');
    if (equals != std::string_view::npos) {
      line.key = base::trim(content.substr(0, equals));
      line.value = base::trim(content.substr(equals + 1));
    }
    header.lines.push_back(line);
  }
  return header;
}

bool begins_with_line(base::ByteSource& file, std::string_view line) {
  std::vector<std::byte> start(line.size() + 1);
  const std::string_view text = base::as_text(base::Bytes(start).first(file.read_at(0, start)));
  return text.size() == start.size() && text.starts_with(line) && (text.back() == '\n' || text.back() == '\r');
}

void report_damaged_lines(const TextHeader& header, std::span<const std::string_view> known, std::string_view format,
                          Findings& findings) {
  // The first and the last line have words of their own.
  for (std::size_t i = 1; i + 1 < header.lines.size(); ++i) {
    const HeaderLine& line = header.lines[i];
    const std::string_view text = base::trim(std::string_view(header.text).substr(line.offset, line.length));
    const bool has_key = !line.key.empty();
    const std::string_view word = has_key ? std::string_view(line.key) : text.substr(0, text.find(' '));
    const bool is_known = std::ranges::find(known, word) != known.end();
    const auto near = std::ranges::find_if(
        known, [&](std::string_view key) { return is_known ? key == word : base::one_edit_apart(word, key); });
    if (near == known.end() || (is_known && has_key)) continue;
    Record record;
    record.type = header_type(format);
    record.header_offset = line.offset;
    findings.error(Code::ok, fmt::format("{}-line-damaged", format), record,
                   fmt::format("the line \"{}\" is none that is known, but nearly one of {}, which is damaged",
                               base::printable(text), *near),
                   fmt::format("{} = ...", *near), base::printable(text));
  }
}

std::optional<std::uint32_t> read_sum(const TextHeader& header, std::string_view key, std::string_view format,
                                      const std::string& rule, Findings& findings) {
  Record record;
  record.type = header_type(format);
  const auto text = header.find(key);
  if (!text) {
    findings.error(
        Code::ok, rule + "-missing", record,
        fmt::format("the header has no line {}, which these files must have; the data cannot be verified", key));
    return {};
  }
  const auto word = base::parse_hex32(*text);
  if (!word) {
    findings.error(Code::ok, rule, record,
                   fmt::format("{} = {} is not a sum; the data cannot be verified", key, base::printable(*text)),
                   "up to eight hexadecimal digits", base::printable(*text));
  }
  return word;
}

std::vector<Annotation> parts_of(const TextHeader& header, std::string_view section) {
  std::vector<Annotation> parts;
  for (const HeaderLine& line : header.lines) {
    const std::string_view text = std::string_view(header.text).substr(line.offset, line.length);
    parts.push_back({line.offset, line.length, base::printable(line.key.empty() ? base::trim(text) : line.key),
                     base::printable(line.value, 120), std::string(section)});
  }
  return parts;
}

}  // namespace lq::format::flat
