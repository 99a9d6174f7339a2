// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/part.hpp"

#include <algorithm>

namespace lq::lattice {
namespace {

// Sites of a box run in unsigned numbers: the last of nearly 2^63 has a successor.
std::uint64_t digit_of(std::int64_t x, std::int64_t origin, std::uint64_t unit, std::uint64_t radix) noexcept {
  const std::uint64_t value = (static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(origin)) / unit;
  return radix == 0 ? value : value % radix;
}

std::uint64_t sum_of(const Index& x, const std::vector<int>& axes) noexcept {
  std::uint64_t sum = 0;
  for (const int axis : axes) sum += static_cast<std::uint64_t>(x[axis]);
  return sum;
}

}  // namespace

Part Part::of_box(const Index& lower, const Index& extents, const std::vector<int>& order) {
  Part part{.lower = lower, .extents = extents, .origin = lower};
  part.digits.reserve(order.size());
  std::uint64_t stride = 1;
  for (const int axis : order) {
    part.digits.push_back({axis, 1, 0, static_cast<std::int64_t>(stride)});
    stride *= static_cast<std::uint64_t>(extents[axis]);
  }
  return part;
}

bool Part::holds(const Index& x) const noexcept {
  for (int axis = 0; axis < x.size(); ++axis) {
    const std::uint64_t inside = static_cast<std::uint64_t>(x[axis]) - static_cast<std::uint64_t>(lower[axis]);
    if (inside >= static_cast<std::uint64_t>(extents[axis])) return false;
  }
  const bool right_digits = std::ranges::all_of(fixed, [&](const FixedDigit& digit) {
    return digit_of(x[digit.axis], origin[digit.axis], digit.unit, digit.radix) == digit.value;
  });
  return right_digits && (!parity || sum_of(x, checkerboard->axes) % 2 == static_cast<std::uint64_t>(*parity));
}

std::int64_t Part::position(const Index& x) const noexcept {
  auto position = static_cast<std::uint64_t>(offset);
  for (const Digit& digit : digits) {
    position +=
        digit_of(x[digit.axis], origin[digit.axis], digit.unit, digit.radix) * static_cast<std::uint64_t>(digit.stride);
  }
  if (checkerboard) {
    std::uint64_t number = 0, stride = 1;
    for (const int axis : checkerboard->axes) {
      number += digit_of(x[axis], origin[axis], 1, 0) * stride;
      stride *= static_cast<std::uint64_t>(extents[axis]);
    }
    position += number / 2 * static_cast<std::uint64_t>(checkerboard->pair_stride);
    position += sum_of(x, checkerboard->axes) % 2 * static_cast<std::uint64_t>(checkerboard->parity_stride);
  }
  return static_cast<std::int64_t>(position);
}

}  // namespace lq::lattice
