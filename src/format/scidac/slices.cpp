// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/slices.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::format::scidac {
namespace {

constexpr std::string_view first_words = "limequat-slices 1.0";

std::string header_line(std::uint64_t slices) { return fmt::format("{} {}\n", first_words, slices); }

[[noreturn]] void fail(const std::string& what, std::string expected, std::string_view found) {
  const std::string shown = base::printable(found);
  throw Error(Code::malformed, fmt::format("{}: \"{}\"", what, shown),
              {.expected = std::move(expected), .found = shown});
}

// Takes one line off the front of `text`.
std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::uint64_t count_from(std::string_view line) {
  const auto words = base::split_words(line);
  const bool titled = line.starts_with(first_words) && words.size() == 3;
  const auto count = titled ? base::parse_u64(words[2]) : std::nullopt;
  if (!count || slices_length(*count) > slices_limit)
    fail("the first line", fmt::format("{} COUNT", first_words), line);
  return *count;
}

}  // namespace

std::uint64_t slices_length(std::uint64_t slices) noexcept {
  if (slices > slices_limit) return slices;
  std::uint64_t digits = 0;
  for (std::uint64_t power = 1; power < slices || power == 1; power *= 10) {
    digits += slices - (power == 1 ? 0 : power);  // one more digit for each number from 10, 100, ...
  }
  constexpr std::uint64_t rest = 19;  // two blanks, two sums, a newline
  return first_words.size() + 2 + fmt::formatted_size("{}", slices) + digits + rest * slices;
}

std::string encode_slices(const std::vector<Checksum>& slices) {
  std::string text = header_line(slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    text += fmt::format("{} {:08x} {:08x}\n", i, slices[i].suma, slices[i].sumb);
  }
  return text;
}

std::vector<Checksum> decode_slices(std::string_view text) {
  text = base::trim(text);
  const std::uint64_t count = count_from(take_line(text));
  std::vector<Checksum> slices;
  slices.reserve(count);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const auto words = base::split_words(line);
    const bool whole = words.size() == 3 && slices.size() < count && base::parse_u64(words[0]) == slices.size();
    const auto suma = whole ? base::parse_hex32(words[1]) : std::nullopt;
    const auto sumb = whole ? base::parse_hex32(words[2]) : std::nullopt;
    if (!suma || !sumb)
      fail(fmt::format("the line of slice {}", slices.size()), fmt::format("{} SUMA SUMB", slices.size()), line);
    slices.push_back({*suma, *sumb});
  }
  if (slices.size() != count) {
    fail("too few lines", fmt::format("{} lines", count), fmt::format("{} lines", slices.size()));
  }
  return slices;
}

}  // namespace lq::format::scidac
