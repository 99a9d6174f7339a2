// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/slices.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::format::scidac {
namespace {

constexpr std::string_view slices_title = "limequat-slices 1.1", older_slices_title = "limequat-slices 1.0";
constexpr std::string_view total_label = "total";
constexpr std::uint64_t sums_length = 53;  // of a line after its label: four blanks, 8 + 8 + 16 + 16 digits, a newline

// What a line tells of a slice, and the last line of all of them.
struct SliceSums {
  Checksum checksum;
  std::uint64_t plain = 0, weighted = 0;
  bool operator==(const SliceSums&) const = default;

  void add(const SliceSums& other) noexcept {
    checksum.suma ^= other.checksum.suma;
    checksum.sumb ^= other.checksum.sumb;
    plain += other.plain;
    weighted += other.weighted;
  }
};

std::string line_of(std::string_view label, const SliceSums& sums) {
  return fmt::format("{} {:08x} {:08x} {:016x} {:016x}\n", label, sums.checksum.suma, sums.checksum.sumb, sums.plain,
                     sums.weighted);
}

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

struct FirstLine {
  std::uint64_t slices = 0;
  bool has_weights = false;
};

FirstLine read_first(std::string_view line) {
  const auto words = base::split_words(line);
  const bool has_weights = line.starts_with(slices_title),
             is_titled = has_weights || line.starts_with(older_slices_title);
  const auto count = is_titled && words.size() == 3 ? base::parse_u64(words[2]) : std::nullopt;
  if (!count || slices_length(*count) > slices_limit)
    fail("the first line", fmt::format("{} COUNT", slices_title), line);
  return {*count, has_weights};
}

std::optional<std::uint64_t> parse_hex64(std::string_view digits) {
  if (digits.size() != 16) return std::nullopt;
  const auto high = base::parse_hex32(digits.substr(0, 8)), low = base::parse_hex32(digits.substr(8));
  if (!high || !low) return std::nullopt;
  return (std::uint64_t{*high} << 32) | *low;
}

SliceSums read_sums(std::string_view line, std::string_view label, bool has_weights) {
  const auto words = base::split_words(line);
  const bool is_whole = words.size() == (has_weights ? 5U : 3U) && words[0] == label;
  const auto suma = is_whole ? base::parse_hex32(words[1]) : std::nullopt;
  const auto sumb = is_whole ? base::parse_hex32(words[2]) : std::nullopt;
  const auto plain = is_whole && has_weights ? parse_hex64(words[3]) : std::nullopt;
  const auto weighted = is_whole && has_weights ? parse_hex64(words[4]) : std::nullopt;
  if (!suma || !sumb || (has_weights && (!plain || !weighted))) {
    fail(fmt::format("the line \"{}\"", label),
         fmt::format("{} SUMA SUMB{}", label, has_weights ? " SUM WEIGHTED" : ""), line);
  }
  return {{*suma, *sumb}, plain.value_or(0), weighted.value_or(0)};
}

}  // namespace

std::uint64_t slices_length(std::uint64_t slices) noexcept {
  if (slices > slices_limit) return slices;
  std::uint64_t digits = 0;
  for (std::uint64_t power = 1; power < slices || power == 1; power *= 10) {
    digits += slices - (power == 1 ? 0 : power);  // one more digit for each number from 10, 100, ...
  }
  return slices_title.size() + 2 + fmt::formatted_size("{}", slices) + digits + sums_length * slices +
         total_label.size() + sums_length;
}

std::string encode_slices(const Sums& sums) {
  const std::vector<Checksum> slices = sums.slices();
  const Sum* const weights = sums.find(slice_weights);
  if (weights == nullptr || weights->values() != slices.size()) {
    throw Error(Code::internal, fmt::format("the weighted sums of {} slices were not computed", slices.size()));
  }
  std::string text = fmt::format("{} {}\n", slices_title, slices.size());
  SliceSums total;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::uint32_t* const word = weights->words.data() + words_of(SumKind::weighted) * i;
    const auto pair = [&](std::size_t first) { return (std::uint64_t{word[first]} << 32) | word[first + 1]; };
    const SliceSums slice{slices[i], pair(0), pair(2)};
    text += line_of(fmt::format_int(i).c_str(), slice);
    total.add(slice);
  }
  return text + line_of(total_label, total);
}

Sums decode_slices(std::string_view text) {
  text = base::trim(text);
  const FirstLine first = read_first(take_line(text));
  std::vector<Checksum> slices;
  Sum weights{slice_weights};
  SliceSums total;
  while (slices.size() < first.slices) {
    const SliceSums slice = read_sums(take_line(text), fmt::format_int(slices.size()).c_str(), first.has_weights);
    slices.push_back(slice.checksum);
    for (const std::uint64_t sum : {slice.plain, slice.weighted}) {
      weights.words.insert(weights.words.end(),
                           {static_cast<std::uint32_t>(sum >> 32), static_cast<std::uint32_t>(sum)});
    }
    total.add(slice);
  }
  const std::string_view last = first.has_weights ? take_line(text) : std::string_view{};
  if (first.has_weights && read_sums(last, total_label, true) != total) {
    fail("the last line", line_of(total_label, total), last);
  }
  if (!text.empty()) fail("lines after the last one", fmt::format("{} slices", first.slices), take_line(text));
  Sums sums;
  sums.set_slices(slices);
  if (first.has_weights) sums.set(std::move(weights));
  return sums;
}

}  // namespace lq::format::scidac
