// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Headers of formats with a header followed by numbers: binary ones and texts.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"

namespace lq::format::flat {

// Binary headers as a sequence of fields: read with a name for each, and composed.

// The fields of a header in sequence, from byte `begin` on; truncated: the file ends before. `section`: of the
// format's page.
class HeaderReader {
 public:
  HeaderReader(base::ByteSource& file, ByteOrder order, std::string section, std::uint64_t begin = 0);

  std::int32_t integer(std::string_view name);
  std::uint32_t word(std::string_view name);
  double real(std::string_view name);
  std::string text(std::string_view name, std::size_t length);
  // Consecutive extents of the given directions: {3, 0, 1, 2} for t, x, y, z.
  Extents extents(std::initializer_list<int> directions);

  // The end of the bytes read so far.
  std::uint64_t end() const noexcept { return begin_ + next_; }
  std::vector<Annotation> take() { return std::move(parts_); }

 private:
  base::Bytes take_bytes(std::size_t length);
  void annotate(std::size_t length, std::string_view name, std::string value);
  template <class Word>
  Word take_word();

  std::vector<std::byte> start_;
  ByteOrder order_;
  std::string section_;
  std::uint64_t begin_;
  std::uint64_t next_ = 0;  // after the bytes read so far
  std::vector<Annotation> parts_;
};

class HeaderWriter {
 public:
  explicit HeaderWriter(ByteOrder order) : order_(order) {}

  HeaderWriter& integer(std::int64_t value);  // 32 bits; unsupported if it does not fit
  HeaderWriter& word(std::uint32_t value);
  HeaderWriter& real(double value);
  HeaderWriter& text(std::string_view value, std::size_t length);  // truncated, or filled with NULs
  HeaderWriter& extents(const Extents& extents, std::initializer_list<int> directions);
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  template <class Word>
  HeaderWriter& put(Word value);

  ByteOrder order_;
  std::string bytes_;
};

// The first number of a file in one byte order; 0 if the file is shorter.
std::uint32_t first_word(base::ByteSource& file, ByteOrder order);
// The byte order of a file that begins with a 32-bit magic; empty if it begins otherwise.
std::optional<ByteOrder> order_of_magic(base::ByteSource& file, std::uint32_t magic);

// True if the doubles of the file, in whole matrices of the given number of colours from `offset` on, are unitary or
// zero: for formats without a magic. Checks the first `matrices`; false if there are fewer.
bool begins_unitary(base::ByteSource& file, std::uint64_t offset, ByteOrder order, int colors, int matrices);

// Text headers: lines KEY = value up to one that ends the header.
struct HeaderLine {
  std::string key = {}, value = {};  // key empty: the line has another form
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // with its end
};

struct TextHeader {
  std::string text;  // all of it, including first and last line
  std::vector<HeaderLine> lines = {};

  std::optional<std::string_view> find(std::string_view key) const noexcept;
  // malformed: there is no such line.
  std::string_view require(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
};

// True if the first line is the given one.
bool begins_with_line(base::ByteSource& file, std::string_view line);
// malformed: it does not end within `most` bytes; truncated: the file ends before.
TextHeader read_text_header(base::ByteSource& file, std::string_view last_line, std::size_t most);
// Errors that stop no reader, of rule "FORMAT-line-damaged": unknown lines one letter away from known ones;
// their contents are not read.
void report_damaged_lines(const TextHeader& header, std::span<const std::string_view> known, std::string_view format,
                          Findings& findings);
// The sum in line `key`, one word, which files of the format always have. If the line is missing (RULE-missing) or
// unreadable (RULE): empty, and an error that stops no reader.
std::optional<std::uint32_t> read_sum(const TextHeader& header, std::string_view key, std::string_view format,
                                      const std::string& rule, Findings& findings);
// All lines, by key.
std::vector<Annotation> parts_of(const TextHeader& header, std::string_view section);

}  // namespace lq::format::flat
