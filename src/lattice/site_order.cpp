// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites and their numbers. Differences use unsigned arithmetic, in which overflow is defined.
#include "lattice/site_order.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"

namespace lq::lattice {
namespace {

std::uint64_t offset_in(std::int64_t x, std::int64_t lower) noexcept {
  return static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(lower);
}

}  // namespace

SiteOrder resolve_order(const SiteOrder& order, int dimensions) {
  SiteOrder resolved = order;
  if (order.empty()) {
    for (int d = 0; d < dimensions; ++d) resolved.push_back(d);
    return resolved;
  }
  std::uint64_t seen = 0;
  for (const int d : order) {
    if (d >= 0 && d < dimensions) seen |= std::uint64_t{1} << d;
  }
  const bool right_length = order.size() == static_cast<std::size_t>(dimensions);
  if (!right_length || seen != (std::uint64_t{1} << dimensions) - 1) {
    const std::string expected = fmt::format("each of 0 to {} once", dimensions - 1);
    const std::string found = fmt::format("{}", fmt::join(order, ", "));
    base::fail(Code::invalid_argument, {.expected = expected, .found = found},
               "{{{}}} is not an order of {} dimensions; expected {}, fastest first", found, dimensions, expected);
  }
  return resolved;
}

SiteOrder interleaved(const SiteOrder& a, const SiteOrder& b) {
  SiteOrder merged;
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (const int d : {a[k], b[k]}) {
      if (std::ranges::find(merged, d) == merged.end()) merged.push_back(d);
    }
  }
  return merged;
}

std::uint64_t site_number(const Coord& x, const Box& box, const SiteOrder& order) noexcept {
  std::uint64_t number = 0;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    number = number * static_cast<std::uint64_t>(box.extents[*d]) + offset_in(x[*d], box.lower[*d]);
  }
  return number;
}

Coord site_at(std::uint64_t number, const Box& box, const SiteOrder& order) noexcept {
  Coord x = box.lower;
  for (const int d : order) {
    const auto extent = static_cast<std::uint64_t>(box.extents[d]);
    x[d] += static_cast<std::int64_t>(number % extent);
    number /= extent;
  }
  return x;
}

std::uint64_t site_rank(const Coord& x, const Extents& extents) noexcept {
  std::uint64_t rank = 0;
  for (int d = extents.size(); d-- > 0;) {
    rank = rank * static_cast<std::uint64_t>(extents[d]) + static_cast<std::uint64_t>(x[d]);
  }
  return rank;
}

Coord site_of_rank(std::uint64_t rank, const Extents& extents) noexcept {
  Coord x = extents;
  for (int d = 0; d < extents.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(extents[d]);
    x[d] = static_cast<std::int64_t>(rank % extent);
    rank /= extent;
  }
  return x;
}

bool advance(Coord& x, const Box& box, const SiteOrder& order) noexcept {
  for (const int d : order) {
    ++x[d];
    if (offset_in(x[d], box.lower[d]) < static_cast<std::uint64_t>(box.extents[d])) return true;
    x[d] = box.lower[d];
  }
  return false;
}

}  // namespace lq::lattice
