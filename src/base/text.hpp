// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small text helpers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/inner.hpp"

namespace lq::base {

LQ_INNER std::string_view trim(std::string_view text) noexcept;                     // white space and NULs at both ends
LQ_INNER std::vector<std::string_view> split_words(std::string_view text);          // at white space
LQ_INNER std::optional<std::uint64_t> parse_u64(std::string_view text) noexcept;    // decimal digits only, no overflow
LQ_INNER std::optional<std::uint32_t> parse_hex32(std::string_view text) noexcept;  // 1 to 8 hex digits, optional 0x
LQ_INNER std::optional<double> parse_double(std::string_view text) noexcept;
std::string hex32(std::uint32_t value);        // eight lower case digits
std::string human_bytes(std::uint64_t bytes);  // "37.7 MB" (decimal prefixes)
// Configured sizes: "4 MiB", "64 KiB" if exact, else "1000 bytes".
std::string binary_bytes(std::uint64_t bytes);
// Bytes of the well-formed UTF-8 character that `text` starts with (Unicode, table 3-7); 0 if there is none.
LQ_INNER std::size_t utf8_length(std::string_view text) noexcept;
// The number of a well-formed character, and whether terminals show it: they interpret or hide controls, direction
// marks and line separators.
char32_t code_point(std::string_view character) noexcept;
bool is_shown(std::string_view character) noexcept;
// Printable form of foreign bytes for messages: at most `limit` bytes. UTF-8 stays; characters that are
// not shown, and invalid UTF-8, become \xNN.
LQ_INNER std::string printable(std::string_view bytes, std::size_t limit = 64);
// The same for a whole text on a terminal; line ends, tabs and backslashes stay.
LQ_INNER std::string printable_text(std::string_view text);
// A prefix of a text without the character that its end cuts.
std::string_view whole_characters(std::string_view bytes) noexcept;
// The candidate nearest to `word` by edits, or nothing if none is near: for "did you mean".
LQ_INNER std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// Words that can turn into each other by a damaged bit or a lost byte.

// True if they differ in one letter: a replaced one, or one that only one of them has.
inline bool one_edit_apart(std::string_view a, std::string_view b) noexcept {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_b == b.end()) return false;
  const auto behind_a = a.size() == b.size() ? in_a + 1 : in_a;
  return std::equal(behind_a, a.end(), in_b + 1, b.end());
}

}  // namespace lq::base
