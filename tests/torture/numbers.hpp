// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers that a rank holds of a field, in one of two precisions, in memory or behind a function.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

#include "support/formula_field.hpp"

namespace lq::torture {

using Numbers = std::variant<std::vector<float>, std::vector<double>>;

inline Numbers zeros(Precision precision, std::uint64_t count) {
  if (precision == Precision::single) return std::vector<float>(count);
  return std::vector<double>(count);
}

// Those of the formula plus `shift`; `corner` places the grid in a larger lattice.
inline Numbers model(const Grid& grid, const FieldSpec& spec, const SiteOrder& order, double shift,
                     const Extents& lattice, const Coord& corner) {
  const auto shifted = [&]<class T>(std::vector<T> values) {
    for (T& value : values) value += static_cast<T>(shift);
    return Numbers(std::move(values));
  };
  if (spec.precision == Precision::single) {
    return shifted(testing::formula_sites<float>(grid, spec.numbers, order, lattice, corner));
  }
  return shifted(testing::formula_sites<double>(grid, spec.numbers, order, lattice, corner));
}

// `numbers` as a field to be written, or read into; it is borrowed.
inline MutableField field_of(Numbers& numbers, const FieldSpec& spec, const SiteOrder& order) {
  return std::visit([&](auto& values) { return MutableField{spec, values.data(), values.size(), order, {}}; }, numbers);
}

// The place in memory of a site of a rank whose sites lie x first.
inline std::uint64_t first_number(const Coord& x, const Box& box, std::uint64_t numbers) {
  Coord local = x;
  for (int d = 0; d < x.size(); ++d) local[d] -= box.lower[d];
  return lattice::site_rank(local, box.extents) * numbers;
}

// The same site by site. `own_code` is called for each.
inline Field field_by_function(const Numbers& numbers, const FieldSpec& spec, const Box& box,
                               const std::function<void()>& own_code) {
  return {spec, nullptr, 0, {}, [&numbers, &own_code, box, count = spec.numbers](const Coord& x, void* site) {
            own_code();
            std::visit(
                [&]<class T>(const std::vector<T>& values) {
                  std::copy_n(values.data() + first_number(x, box, count), count, static_cast<T*>(site));
                },
                numbers);
          }};
}
inline MutableField field_into_function(Numbers& numbers, const FieldSpec& spec, const Box& box,
                                        const std::function<void()>& own_code) {
  return {spec, nullptr, 0, {}, [&numbers, &own_code, box, count = spec.numbers](const Coord& x, const void* site) {
            own_code();
            std::visit(
                [&]<class T>(std::vector<T>& values) {
                  std::copy_n(static_cast<const T*>(site), count, values.data() + first_number(x, box, count));
                },
                numbers);
          }};
}

}  // namespace lq::torture
