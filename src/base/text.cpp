// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers and words in text, independent of the locale: a German desktop must not change the contents of a file.
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

#include "base/bytes.hpp"

namespace lq::base {
namespace {

constexpr std::string_view white = " \t\n\v\f\r";
constexpr std::string_view white_or_nul{" \t\n\v\f\r\0", 7};

// Succeeds only if all of `text` is the number.
template <class T, class... Format>
std::optional<T> parse_all(std::string_view text, Format... format) noexcept {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, format...);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return value;
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(char a, char b) noexcept { return lower(a) == lower(b); }

// Insertions, deletions, replacements and swaps of neighbours between two words, without regard to case.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1), above(row), above_that(row);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    above_that.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], above_that[j - 2] + 1);
    }
  }
  return row.back();
}

bool is_continuation(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

struct CodeRange {
  char32_t first, last;
};
// Controls; characters without width, that change the direction of a line or end it; noncharacters.
constexpr CodeRange not_shown[] = {{0x0, 0x1f},      {0x7f, 0x9f},     {0x200b, 0x200f},
                                   {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfdd0, 0xfdef},
                                   {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};

// Removes a character, or a byte that begins none, from `bytes`; returns its printable form.
std::string next_printable(std::string_view& bytes, std::string_view kept) {
  const std::size_t length = utf8_length(bytes), taken = std::max<std::size_t>(length, 1);
  const std::string_view character = bytes.substr(0, taken);
  bytes.remove_prefix(taken);
  const bool is_kept = length == 1 && kept.find(character) != std::string_view::npos;
  if (character == "\\" && !is_kept) return "\\\\";
  if (length > 0 && (is_kept || is_shown(character))) return std::string(character);
  std::string escaped;
  for (const char c : character) escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return escaped;
}

}  // namespace

char32_t code_point(std::string_view character) noexcept {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t code = first & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

bool is_shown(std::string_view character) noexcept {
  const char32_t code = code_point(character);
  if (code >= ' ' && code <= '~') return true;
  return (code & 0xfffe) != 0xfffe && std::ranges::none_of(not_shown, [&](const CodeRange& range) {
           return code >= range.first && code <= range.last;
         });
}

std::string_view trim(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(white_or_nul);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white_or_nul) - first + 1);
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(white); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(white, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(white, end);
  }
  return words;
}

std::optional<std::uint64_t> parse_u64(std::string_view text) noexcept { return parse_all<std::uint64_t>(text, 10); }

std::optional<std::uint32_t> parse_hex32(std::string_view text) noexcept {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.size() > 8) return std::nullopt;
  return parse_all<std::uint32_t>(text, 16);
}

std::optional<double> parse_double(std::string_view text) noexcept {
  // from_chars rejects plus signs; C and Fortran programs print them.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return parse_all<double>(text, std::chars_format::general);
}

std::string hex32(std::uint32_t value) { return fmt::format("{:08x}", value); }

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::string_view prefixes = "kMGTPE";
  double value = static_cast<double>(bytes) / 1000;
  std::size_t prefix = 0;
  // 999.95 would print as 1000.0
  for (; value >= 999.95 && prefix + 1 < prefixes.size(); ++prefix) value /= 1000;
  return fmt::format("{:.1f} {}B", value, prefixes[prefix]);
}

std::string binary_bytes(std::uint64_t bytes) {
  if (bytes >= kibi * kibi && bytes % (kibi * kibi) == 0) return fmt::format("{} MiB", bytes / (kibi * kibi));
  if (bytes >= kibi && bytes % kibi == 0) return fmt::format("{} KiB", bytes / kibi);
  return fmt::format("{} bytes", bytes);
}

std::size_t utf8_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::string printable(std::string_view bytes, std::size_t limit) {
  std::string text;
  while (!bytes.empty()) {
    const std::string piece = next_printable(bytes, "");
    if (text.size() + piece.size() > limit) return text + "...";
    text += piece;
  }
  return text;
}

std::string printable_text(std::string_view text) {
  const auto is_special = [](char c) { return c < ' ' || c > '~'; };
  std::string result;
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(std::ranges::find_if(text, is_special) - text.begin());
    result.append(text, 0, plain);
    text.remove_prefix(plain);
    if (!text.empty()) result += next_printable(text, "\n\t\\");
  }
  return result;
}

std::string_view whole_characters(std::string_view bytes) noexcept {
  for (std::size_t cut = 1; cut <= std::min<std::size_t>(bytes.size(), 3); ++cut) {
    const std::string_view last = bytes.substr(bytes.size() - cut);
    if (is_continuation(last[0])) continue;
    if (utf8_length(last) > 0) return bytes;
    for (const char continuation : {'\x80', '\xbf'}) {  // some lead bytes require a small one, some a large one
      std::array<char, 4> whole{continuation, continuation, continuation, continuation};
      std::ranges::copy(last, whole.begin());
      if (utf8_length({whole.data(), whole.size()}) > cut) return bytes.substr(0, bytes.size() - cut);
    }
    return bytes;
  }
  return bytes;
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 256;  // the comparison is quadratic, and words may come from a file
  if (word.empty() || word.size() > longest) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_edits = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edits(word, candidate);
    if (distance >= best_edits) continue;
    best = candidate;
    best_edits = distance;
  }
  return best;
}

}  // namespace lq::base
