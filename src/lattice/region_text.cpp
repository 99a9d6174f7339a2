// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/region_text.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::lattice {

namespace {

constexpr std::string_view axis_letters = "xyzt";

[[noreturn]] void refuse_span(const std::string& path, std::string_view span, const std::string& why) {
  base::fail(Code::invalid_argument, {.path = path}, "region: \"{}\" {}", base::printable(span), why);
}

// The sites of a span, "FIRST:END" or one number; nothing if it is not a part of the axis.
struct Span {
  std::int64_t first = 0, end = 0;
};

// A bound of a span; `otherwise` if the text is empty.
std::optional<std::int64_t> bound_of(std::string_view text, std::int64_t extent, std::int64_t otherwise) {
  if (text.empty()) return otherwise;
  const bool is_from_end = text.front() == '-';
  const auto number = base::parse_u64(is_from_end ? text.substr(1) : text);
  if (!number || *number > static_cast<std::uint64_t>(extent)) return std::nullopt;
  const auto sites = static_cast<std::int64_t>(*number);
  return is_from_end ? extent - sites : sites;
}

std::optional<Span> span_of(std::string_view text, std::int64_t extent) {
  std::optional<std::int64_t> first, end;
  if (text.find(':') == std::string_view::npos) {
    if (text.empty()) return std::nullopt;
    first = bound_of(text, extent, 0);
    if (first) end = *first + 1;
  } else {
    first = bound_of(take_until(text, ':'), extent, 0);
    end = bound_of(text, extent, extent);
  }
  if (!first || !end || *first >= *end || *end > extent) return std::nullopt;
  return Span{*first, *end};
}

}  // namespace

std::optional<int> axis_of(std::string_view name) {
  if (name.size() == 1) {
    if (const std::size_t letter = axis_letters.find(name[0]); letter != std::string_view::npos) {
      return static_cast<int>(letter);
    }
  }
  const auto number = base::parse_u64(name);
  if (!number || *number > 1000) return std::nullopt;
  return static_cast<int>(*number);
}

std::string_view take_until(std::string_view& rest, char end) {
  const std::size_t at = rest.find(end);
  const std::string_view taken = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return taken;
}

Box region_of(const std::string& path, std::string_view text, const Extents& lattice) {
  Box region = whole(lattice);
  std::uint64_t named = 0;  // a bit for each axis
  do {
    const std::string_view span = take_until(text, ',');
    std::string_view rest = span;
    const auto axis = axis_of(take_until(rest, '='));
    if (!axis || rest.empty()) {
      refuse_span(path, span,
                  "is not a part of an axis; expected AXIS=N or AXIS=FIRST:END with AXIS one of x, y, z, t or a number "
                  "from 0, as in \"t=5,x=:4\" (site 5 in t, sites 0 to 3 in x)");
    }
    if (*axis >= lattice.size()) {
      refuse_span(path, span, fmt::format("names an axis that a lattice of {} dimensions has not", lattice.size()));
    }
    if ((named >> *axis & 1) != 0) refuse_span(path, span, "names an axis for the second time");
    named |= std::uint64_t{1} << *axis;
    const std::int64_t extent = lattice[*axis];
    const auto sites = span_of(rest, extent);
    if (!sites) {
      refuse_span(path, span,
                  fmt::format("is not a part of the {} sites of that axis; expected a site from 0 to {}, or FIRST:END "
                              "with FIRST below END, and END not above {}",
                              extent, extent - 1, extent));
    }
    region.lower[*axis] = sites->first;
    region.extents[*axis] = sites->end - sites->first;
  } while (!text.empty());
  return region;
}

}  // namespace lq::lattice
