// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Coordinates and extents: construction, volume, text.
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/lattice.hpp>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace lq {
namespace {

[[noreturn]] void refuse_dimensions(std::uint64_t found) {
  ErrorFacts facts;
  facts.expected = fmt::format("0 to {} dimensions", max_dimensions);
  facts.found = fmt::format("{}", found);
  throw Error(
      Code::invalid_argument,
      fmt::format("a coordinate of {} dimensions was asked for; lattices have at most {}", found, max_dimensions),
      facts);
}

[[noreturn]] void refuse_text(std::string_view text, const char* why) {
  ErrorFacts facts;
  facts.expected = "positive integers joined by x, like 8x8x8x16";
  facts.found = base::printable(text);
  throw Error(Code::invalid_argument,
              fmt::format("\"{}\" is not a list of extents: {}; expected {}", facts.found, why, facts.expected), facts);
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
  // A coordinate without dimensions spans nothing, and a zero wins over any product, however large.
  bool none = extents.size() == 0;
  for (const std::int64_t extent : extents) {
    if (extent < 0) throw Error(Code::invalid_argument, fmt::format("extents {} are negative", to_string(extents)));
    none = none || extent == 0;
  }
  if (none) return 0;
  std::uint64_t product = 1;
  for (const std::int64_t extent : extents) {
    const auto next = base::checked_multiply(product, static_cast<std::uint64_t>(extent));
    if (!next || *next > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw Error(Code::too_large, fmt::format("a lattice of {} has more than 2^63 - 1 sites", to_string(extents)));
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

}  // namespace lq
