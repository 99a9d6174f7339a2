// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/device_rows.hpp"

#include <cstdint>

#include "lattice/described_sites.hpp"

namespace lq::lattice {
namespace {

// Number i of a matrix of SU(3) that lies there by columns is number by_rows(i) of it by rows.
constexpr std::uint64_t by_rows(std::uint64_t i) noexcept {
  const std::uint64_t element = i / 2;
  return 2 * (element % 3 * 3 + element / 3) + i % 2;
}

}  // namespace

std::vector<device::NumberPlace> numbers_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box,
                                            const void* data) {
  const std::vector<std::byte*> arrays = arrays_of(layout, spec, box, data).begin;
  const SitePlaces rule(layout, spec, box);
  std::vector<device::NumberPlace> numbers(static_cast<std::size_t>(spec.numbers));
  for (const Stretch& stretch : rule.stretches()) {
    const auto array = reinterpret_cast<std::intptr_t>(arrays[static_cast<std::size_t>(stretch.array)]);
    for (std::uint64_t i = 0; i < stretch.length; ++i) {
      const std::uint64_t number = stretch.number + (stretch.is_transposed ? by_rows(i) : i);
      const std::int64_t place = stretch.place + static_cast<std::int64_t>(i);
      numbers[static_cast<std::size_t>(number)] = {array + place * static_cast<std::int64_t>(spec.number_bytes()),
                                                   stretch.group};
    }
  }
  return numbers;
}

}  // namespace lq::lattice
