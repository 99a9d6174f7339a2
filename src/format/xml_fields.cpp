// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/xml_fields.hpp"

#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace lq::format {
namespace {

constexpr std::uint64_t coord_limit = 1ULL << 62;

[[noreturn]] void fail(const std::string& sentence, std::string expected = {}, std::string found = {}) {
  throw Error(Code::malformed, sentence, {.expected = std::move(expected), .found = std::move(found)});
}

std::string_view required_text(const base::xml::Element& parent, std::string_view name) {
  const auto text = parent.text_of(name);
  if (!text) fail(fmt::format("<{}> has no element <{}>", parent.name, name), fmt::format("<{}>", name), "nothing");
  return *text;
}

std::uint64_t number_from(std::string_view text, std::string_view name) {
  const auto number = base::parse_u64(text);
  if (number) return *number;
  const std::string found = base::printable(text);
  fail(fmt::format("<{}> holds \"{}\", which is not a number of at most 64 bits", name, found), "a decimal number",
       found);
}

}  // namespace

base::xml::Element parse_document(std::string_view document, std::string_view root) {
  base::xml::Element element = base::xml::parse(document);
  if (element.name == root) return element;
  const std::string found = base::printable(element.name);
  fail(fmt::format("the root element is <{}>, not <{}>", found, root), fmt::format("<{}>", root),
       fmt::format("<{}>", found));
}

std::uint64_t required_number(const base::xml::Element& parent, std::string_view name) {
  return number_from(required_text(parent, name), name);
}

std::optional<std::uint64_t> optional_number(const base::xml::Element& parent, std::string_view name) {
  const auto text = parent.text_of(name);
  if (!text || text->empty()) return std::nullopt;
  return number_from(*text, name);
}

Coord required_coord(const base::xml::Element& parent, std::string_view name) {
  std::array<std::int64_t, max_dimensions> values{};
  std::size_t count = 0;
  for (const std::string_view word : base::split_words(required_text(parent, name))) {
    if (count == values.size()) fail(fmt::format("<{}> holds more than {} numbers", name, max_dimensions));
    const std::uint64_t value = number_from(word, name);
    if (value >= coord_limit) fail(fmt::format("<{}> holds {}, which is not a possible position", name, value));
    values[count++] = static_cast<std::int64_t>(value);
  }
  if (count == 0) fail(fmt::format("<{}> holds no number", name));
  return Coord(std::span<const std::int64_t>(values).first(count));
}

void check_extents(const Extents& extents, std::string_view where) {
  std::uint64_t sites = 1;
  for (const std::int64_t extent : extents) {
    const auto product = base::checked_multiply(sites, static_cast<std::uint64_t>(extent));
    if (extent < 1 || !product || *product >= coord_limit) {
      fail(fmt::format("<{}> describes a lattice of {}, which is none that a file can hold", where, to_string(extents)),
           "extents of 1 and more, fewer than 2^62 sites", to_string(extents));
    }
    sites = *product;
  }
}

}  // namespace lq::format
