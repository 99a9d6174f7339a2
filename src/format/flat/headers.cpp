// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/flat/headers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/flat/flat.hpp"

namespace lq::format::flat {
namespace {

constexpr std::size_t most_bytes = 4096;

template <class Word>
Word load(const std::byte* at, ByteOrder order) noexcept {
  return order == ByteOrder::big ? base::load_be<Word>(at) : base::load_le<Word>(at);
}

}  // namespace

HeaderReader::HeaderReader(base::ByteSource& file, ByteOrder order, std::string section, std::uint64_t begin)
    : start_(most_bytes), order_(order), section_(std::move(section)), begin_(begin) {
  start_.resize(file.read_at(begin, start_));
}

base::Bytes HeaderReader::take_bytes(std::size_t length) {
  if (length > start_.size() - next_) {
    base::fail(Code::truncated, {}, "the file ends within its header, at byte {}; copy it again from its source",
               begin_ + start_.size());
  }
  const base::Bytes taken = base::Bytes(start_).subspan(next_, length);
  next_ += length;
  return taken;
}

void HeaderReader::annotate(std::size_t length, std::string_view name, std::string value) {
  parts_.push_back({end() - length, length, std::string(name), std::move(value), section_});
}

template <class Word>
Word HeaderReader::take_word() {
  return load<Word>(take_bytes(sizeof(Word)).data(), order_);
}

std::int32_t HeaderReader::integer(std::string_view name) {
  const auto value = static_cast<std::int32_t>(take_word<std::uint32_t>());
  annotate(4, name, fmt::format("{}", value));
  return value;
}

std::uint32_t HeaderReader::word(std::string_view name) {
  const auto value = take_word<std::uint32_t>();
  annotate(4, name, fmt::format("{:08x}", value));
  return value;
}

double HeaderReader::real(std::string_view name) {
  const auto value = std::bit_cast<double>(take_word<std::uint64_t>());
  annotate(8, name, fmt::format("{:.15g}", value));
  return value;
}

std::string HeaderReader::text(std::string_view name, std::size_t length) {
  std::string value(base::as_text(take_bytes(length)));
  value.resize(std::min(value.find('\0'), value.size()));
  annotate(length, name, fmt::format("\"{}\"", base::printable(value)));
  return value;
}

Extents HeaderReader::extents(std::initializer_list<int> directions) {
  Extents extents = Coord::filled(static_cast<int>(directions.size()), 0);
  for (const int d : directions) {
    extents[d] = integer(fmt::format("extent in {}", std::string(1, "xyzt"[d])));
    if (extents[d] < 1) {
      base::fail(Code::malformed, {}, "the header states the extent {} in {}; extents are 1 and more", extents[d],
                 "xyzt"[d]);
    }
  }
  return extents;
}

template <class Word>
HeaderWriter& HeaderWriter::put(Word value) {
  std::array<std::byte, sizeof(Word)> bytes;
  order_ == ByteOrder::big ? base::store_be(bytes.data(), value) : base::store_le(bytes.data(), value);
  bytes_ += base::as_text(bytes);
  return *this;
}

HeaderWriter& HeaderWriter::integer(std::int64_t value) {
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    base::fail(Code::unsupported, {}, "the header has 32 bits for {}; use ildg, scidac or hdf5", value);
  }
  return put(static_cast<std::uint32_t>(value));
}

HeaderWriter& HeaderWriter::word(std::uint32_t value) { return put(value); }

HeaderWriter& HeaderWriter::real(double value) { return put(std::bit_cast<std::uint64_t>(value)); }

HeaderWriter& HeaderWriter::text(std::string_view value, std::size_t length) {
  const std::size_t end = bytes_.size() + length;
  bytes_ += value.substr(0, length);
  bytes_.resize(end, '\0');
  return *this;
}

HeaderWriter& HeaderWriter::extents(const Extents& extents, std::initializer_list<int> directions) {
  for (const int d : directions) integer(extents[d]);
  return *this;
}

std::uint32_t first_word(base::ByteSource& file, ByteOrder order) {
  std::array<std::byte, 4> start{};
  return file.read_at(0, start) == start.size() ? load<std::uint32_t>(start.data(), order) : 0;
}

std::optional<ByteOrder> order_of_magic(base::ByteSource& file, std::uint32_t magic) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    if (first_word(file, order) == magic) return order;
  }
  return {};
}

bool begins_unitary(base::ByteSource& file, std::uint64_t offset, ByteOrder order, int colors, int matrices) {
  constexpr double tolerance = 1e-3;
  const auto n = static_cast<std::size_t>(colors);
  std::vector<std::byte> bytes(2 * n * n * 8);
  std::vector<std::complex<double>> u(n * n);
  for (int m = 0; m < matrices; ++m) {
    if (file.read_at(offset + static_cast<std::uint64_t>(m) * bytes.size(), bytes) < bytes.size()) return false;
    const auto number = [&](std::size_t k) { return std::bit_cast<double>(load<std::uint64_t>(&bytes[8 * k], order)); };
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = {number(2 * k), number(2 * k + 1)};
    if (std::ranges::all_of(u, [](const auto& element) { return element == 0.0; })) continue;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        std::complex<double> product = i == j ? -1 : 0;
        for (std::size_t k = 0; k < n; ++k) product += u[i * n + k] * std::conj(u[j * n + k]);
        if (!(std::abs(product) <= tolerance)) return false;
      }
    }
  }
  return true;
}

std::optional<std::string_view> TextHeader::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(lines, key, &HeaderLine::key);
  return found == lines.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

std::string_view TextHeader::require(std::string_view key) const {
  if (const auto value = find(key)) return *value;
  base::fail(Code::malformed, {}, "the header has no line {}, without which the data cannot be read", key);
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
      base::fail(is_cut ? Code::truncated : Code::malformed, {}, "there is no line {} in the first {} bytes{}",
                 last_line, text.size(), is_cut ? ", where the file ends; copy it again from its source" : "");
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
  // The first and the last line have a fixed form.
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
                   fmt::format("the line \"{}\" is unknown, but nearly equals one of {}, which is damaged",
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
                   fmt::format("{} = {} is not a checksum; the data cannot be verified", key, base::printable(*text)),
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
