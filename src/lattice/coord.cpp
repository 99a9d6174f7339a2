// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Coordinates and extents: construction, volume, text.
#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <limequat/lattice.hpp>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace lq {
namespace {

[[noreturn]] void refuse_dimensions(std::uint64_t found) {
  base::fail(Code::invalid_argument,
             {.expected = fmt::format("0 to {} dimensions", max_dimensions), .found = fmt::format("{}", found)},
             "a coordinate of {} dimensions was requested; lattices have at most {}", found, max_dimensions);
}

[[noreturn]] void refuse_text(std::string_view text, const char* why) {
  const std::string expected = "positive integers joined by x, like 8x8x8x16", found = base::printable(text);
  base::fail(Code::invalid_argument, {.expected = expected, .found = found},
             "\"{}\" is not a list of extents: {}; expected {}", found, why, expected);
}

std::int64_t parse_extent(std::string_view word, std::string_view text) {
  std::int64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, value);
  if (status == std::errc::result_out_of_range) refuse_text(text, "a number does not fit 63 bits");
  if (status != std::errc() || stop != end) refuse_text(text, "something in it is not a number");
  if (value < 1) refuse_text(text, "an extent below 1");
  return value;
}

}  // namespace

Coord::Coord(std::initializer_list<std::int64_t> values) : Coord(std::span(values.begin(), values.size())) {}

Coord::Coord(std::span<const std::int64_t> values) {
  if (values.size() > max_dimensions) refuse_dimensions(values.size());
  for (const std::int64_t value : values) (*this)[size_++] = value;
}

Coord Coord::filled(int dimensions, std::int64_t value) {
  if (dimensions < 0 || dimensions > max_dimensions) refuse_dimensions(static_cast<std::uint64_t>(dimensions));
  Coord coord;
  for (coord.size_ = 0; coord.size_ < dimensions; ++coord.size_) coord[coord.size_] = value;
  return coord;
}

std::uint64_t volume(const Extents& extents) {
  // A coordinate without dimensions has volume 0; an extent 0 makes it 0 even if the product of the others is too
  // large.
  bool none = extents.size() == 0;
  for (const std::int64_t extent : extents) {
    if (extent < 0) base::fail(Code::invalid_argument, {}, "extents {} are negative", to_string(extents));
    none = none || extent == 0;
  }
  if (none) return 0;
  std::uint64_t product = 1;
  for (const std::int64_t extent : extents) {
    const auto next = base::checked_multiply(product, static_cast<std::uint64_t>(extent));
    if (!next || *next > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      base::fail(Code::too_large, {}, "a lattice of {} has more than 2^63 - 1 sites", to_string(extents));
    }
    product = *next;
  }
  return product;
}

std::string to_string(const Coord& coord) { return fmt::format("{}", fmt::join(coord, "x")); }

std::string site_text(const Coord& site) { return fmt::format("{}", fmt::join(site, ",")); }

Extents parse_extents(std::string_view text) {
  std::array<std::int64_t, max_dimensions> values{};
  std::size_t count = 0;
  for (std::string_view rest = text;;) {
    if (count == values.size()) refuse_text(text, "more than eight dimensions");
    const std::size_t between = rest.find_first_of("xX,");
    values[count++] = parse_extent(rest.substr(0, between), text);
    if (between == std::string_view::npos) break;
    rest.remove_prefix(between + 1);
  }
  return Extents(std::span<const std::int64_t>(values.data(), count));
}

// Boxes of sites. Corners may be any 64-bit numbers, so sums like lower + extent are never computed.

namespace {

// a - b for a >= b, which may exceed a signed integer.
std::uint64_t distance(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

// The part of an interval at and above `from`, which is not below its lower end.
std::int64_t remaining(std::int64_t lower, std::int64_t extent, std::int64_t from) noexcept {
  const std::uint64_t cut = distance(from, lower);
  const auto length = static_cast<std::uint64_t>(extent);
  return extent <= 0 || cut >= length ? 0 : static_cast<std::int64_t>(length - cut);
}

}  // namespace

bool Box::contains(const Coord& x) const noexcept {
  if (x.size() != lower.size() || x.size() != extents.size()) return false;
  for (int d = 0; d < x.size(); ++d) {
    if (x[d] < lower[d] || remaining(lower[d], extents[d], x[d]) == 0) return false;
  }
  return x.size() > 0;
}

Box whole(const Extents& extents) { return {Coord::filled(extents.size(), 0), extents}; }

Box intersect(const Box& a, const Box& b) {
  const int dimensions = a.lower.size();
  if (a.extents.size() != dimensions || b.lower.size() != dimensions || b.extents.size() != dimensions) {
    base::fail(Code::invalid_argument, {}, "boxes of different dimensions have no intersection: {} at {} and {} at {}",
               to_string(a.extents), to_string(a.lower), to_string(b.extents), to_string(b.lower));
  }
  Box common = whole(Coord::filled(dimensions, 0));
  for (int d = 0; d < dimensions; ++d) {
    common.lower[d] = std::max(a.lower[d], b.lower[d]);
    common.extents[d] = std::min(remaining(a.lower[d], a.extents[d], common.lower[d]),
                                 remaining(b.lower[d], b.extents[d], common.lower[d]));
    if (common.extents[d] == 0) return whole(Coord::filled(dimensions, 0));
  }
  return common;
}

}  // namespace lq
