// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one site of each kind of field holds.

#include <fmt/format.h>
#include <limequat/field.hpp>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace lq {
namespace {

constexpr std::uint64_t largest_number_bytes = 8;

void require_at_least(std::string_view kind, std::string_view what, std::uint64_t least, std::int64_t given) {
  if (given >= 0 && static_cast<std::uint64_t>(given) >= least) return;
  base::fail(Code::invalid_argument,
             {.expected = fmt::format("{} of {} and up", what, least), .found = fmt::format("{}", given)},
             "{} field: {} is {}, but must be {} or more", kind, what, given, least);
}

// Also makes sure that FieldSpec::site_bytes() cannot overflow.
std::uint64_t product(std::string_view kind, std::initializer_list<int> factors) {
  std::uint64_t numbers = 1;
  for (const int factor : factors) numbers = base::multiply_or_throw(numbers, static_cast<std::uint64_t>(factor), kind);
  base::multiply_or_throw(numbers, largest_number_bytes, kind);
  return numbers;
}

}  // namespace

std::string_view name(Precision precision) noexcept { return precision == Precision::single ? "single" : "double"; }

std::string_view name(FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::gauge:
      return "gauge";
    case FieldKind::spinor:
      return "spinor";
    case FieldKind::propagator:
      return "propagator";
    case FieldKind::generic:
      return "generic";
  }
  return "unknown";  // a number that came through the C API
}

FieldSpec gauge_spec(Precision precision, int colors, int links) {
  require_at_least("gauge", "colors", 2, colors);
  require_at_least("gauge", "links", 0, links);
  FieldSpec spec{FieldKind::gauge, colors, 0, links, 0, true, precision};
  spec.numbers = product("gauge field: numbers per site", {2, links, colors, colors});
  return spec;
}

FieldSpec spinor_spec(Precision precision, int colors, int spins) {
  require_at_least("spinor", "colors", 2, colors);
  require_at_least("spinor", "spins", 1, spins);
  FieldSpec spec{FieldKind::spinor, colors, spins, 0, 0, true, precision};
  spec.numbers = product("spinor field: numbers per site", {2, spins, colors});
  return spec;
}

FieldSpec propagator_spec(Precision precision, int colors, int spins) {
  require_at_least("propagator", "colors", 2, colors);
  require_at_least("propagator", "spins", 1, spins);
  FieldSpec spec{FieldKind::propagator, colors, spins, 0, 0, true, precision};
  spec.numbers = product("propagator field: numbers per site", {2, spins, spins, colors, colors});
  return spec;
}

FieldSpec generic_spec(Precision precision, std::uint64_t numbers, bool is_complex) {
  if (numbers == 0) require_at_least("generic", "numbers per site", 1, 0);
  if (is_complex && numbers % 2 != 0) {
    base::fail(Code::invalid_argument, {},
               "generic field: {} real numbers per site cannot be complex numbers; give an even number, two for each "
               "complex number",
               numbers);
  }
  base::multiply_or_throw(numbers, largest_number_bytes, "generic field: bytes per site");
  return FieldSpec{FieldKind::generic, 0, 0, 0, numbers, is_complex, precision};
}

}  // namespace lq
