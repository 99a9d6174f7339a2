// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes of sites. Corners may lie anywhere in 64 bits, so sums like lower + extent are never formed.
#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/lattice.hpp>

namespace lq {
namespace {

// a - b for a >= b, which need not fit a signed integer.
std::uint64_t distance(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

// The part of an interval that lies at and above `from`, which is not below its lower end.
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
    throw Error(Code::invalid_argument,
                fmt::format("boxes of different dimensions have no intersection: {} at {} and {} at {}",
                            to_string(a.extents), to_string(a.lower), to_string(b.extents), to_string(b.lower)));
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
