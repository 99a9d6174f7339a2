// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Headers of text: lines KEY = value up to one that ends the header.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"

namespace lq::format::flat {

struct HeaderLine {
  std::string key = {}, value = {};  // key empty: no line of that form
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // with its end
};

struct TextHeader {
  std::string text;  // all of it, first and last line included
  std::vector<HeaderLine> lines = {};

  std::optional<std::string_view> find(std::string_view key) const noexcept;
  // malformed: there is no such line.
  std::string_view require(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
};

// Whether the first line is that one.
bool begins_with_line(base::ByteSource& file, std::string_view line);
// malformed: it does not end within `most` bytes; truncated: the file ends before.
TextHeader read_text_header(base::ByteSource& file, std::string_view last_line, std::size_t most);
// Errors that stop no reader, of rule "FORMAT-line-damaged": lines that are no known ones, but one letter away from
// that; what they say is not read.
void report_damaged_lines(const TextHeader& header, std::span<const std::string_view> known, std::string_view format,
                          Findings& findings);
// The sum of one word that line `key` states, which files of the format always have. Nothing, and an error that stops
// no reader: the line is missing (RULE-missing) or cannot be read (RULE).
std::optional<std::uint32_t> read_sum(const TextHeader& header, std::string_view key, std::string_view format,
                                      const std::string& rule, Findings& findings);
// Every line by its key.
std::vector<Annotation> parts_of(const TextHeader& header, std::string_view section);

}  // namespace lq::format::flat
