// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one site holds, from datatype and sizes (formats/scidac.md 4.2). colors and spins are hints: some
// programs write spins 4 for colour matrices. Sizes decide.
#include <cmath>

#include "base/checked.hpp"
#include "format/scidac/describe.hpp"

namespace lq::format::scidac {
namespace {

using Shape = std::optional<FieldSpec>;

bool contains(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}

bool is_color_matrix(std::string_view datatype) noexcept {
  return contains(datatype, "ColorMatrix") || contains(datatype, "ColourMatrix");
}

// Colour matrices on all links of a site, in numbers of `word` bytes.
Shape as_gauge(const RecordInfo& info, std::uint64_t site_bytes, int dimensions, std::uint64_t word) {
  const auto links = static_cast<std::uint64_t>(dimensions);
  const bool per_link = info.datacount == links || (info.datacount == 1 && contains(info.datatype, "LorentzVector"));
  if (!is_color_matrix(info.datatype) || !per_link || site_bytes % (links * 2 * word) != 0) return {};
  const std::uint64_t elements = site_bytes / (links * 2 * word);
  const auto colors = static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(elements))));
  // A single complex number is a matrix only where that is said.
  if (colors == 0 || colors > 1000 || colors * colors != elements || (colors == 1 && info.colors != 1)) return {};
  FieldSpec spec;
  spec.kind = FieldKind::gauge;
  spec.colors = static_cast<int>(colors);
  spec.links = dimensions;
  return spec;
}

// `numbers` complex numbers per site, of `kind`.
Shape with_spin(const RecordInfo& info, FieldKind kind, std::uint64_t colors, std::uint64_t spins,
                std::uint64_t numbers, std::uint64_t word) {
  if (colors == 0 || info.datacount != 1 || info.typesize != 2 * numbers * word) return {};
  FieldSpec spec;
  spec.kind = kind;
  spec.colors = static_cast<int>(colors);
  spec.spins = static_cast<int>(spins);
  return spec;
}

Shape as_spinor(const RecordInfo& info, std::uint64_t word) {
  const bool dirac = contains(info.datatype, "DiracFermion");
  if (!dirac && !contains(info.datatype, "ColorVector")) return {};
  const std::uint64_t colors = info.colors != 0 ? info.colors : 3;
  const std::uint64_t spins = dirac ? (info.spins != 0 ? info.spins : 4) : 1;
  if (colors > 1000 || spins > 1000) return {};
  return with_spin(info, FieldKind::spinor, colors, spins, colors * spins, word);
}

Shape as_propagator(const RecordInfo& info, std::uint64_t word) {
  if (info.datatype != "Lattice" || info.spins == 0 || info.colors > 1000 || info.spins > 1000) return {};
  const std::uint64_t rows = info.colors * info.spins;
  return with_spin(info, FieldKind::propagator, info.colors, info.spins, rows * rows, word);
}

bool holds_complex(std::string_view datatype, std::uint64_t numbers) noexcept {
  if (numbers % 2 != 0 || contains(datatype, "Real") || contains(datatype, "Int")) return false;
  constexpr std::string_view words[] = {"Complex",    "Color", "Colour", "Fermion",
                                        "Propagator", "Spin",  "Vector", "GRID"};
  for (const std::string_view word : words) {
    if (contains(datatype, word)) return true;
  }
  return false;
}

FieldSpec as_generic(const RecordInfo& info, std::uint64_t site_bytes, std::uint64_t word) {
  FieldSpec spec;
  spec.kind = FieldKind::generic;
  spec.is_complex = holds_complex(info.datatype, site_bytes / word);
  return spec;
}

FieldSpec sized(FieldSpec spec, std::uint64_t site_bytes, std::uint64_t word) {
  spec.numbers = site_bytes / word;
  spec.precision = word == 4 ? Precision::single : Precision::double_;
  return spec;
}

}  // namespace

std::optional<FieldSpec> site_of(const RecordInfo& info, int dimensions) {
  const auto site_bytes = base::checked_multiply(info.typesize, info.datacount);
  if (!site_bytes || *site_bytes == 0) return {};
  const std::uint64_t declared = info.precision == "D" ? 8 : 4;
  for (const std::uint64_t word : {declared, 12 - declared}) {
    Shape shape = as_gauge(info, *site_bytes, dimensions, word);
    if (!shape) shape = as_spinor(info, word);
    if (!shape) shape = as_propagator(info, word);
    if (shape) return sized(*shape, *site_bytes, word);
  }
  if (*site_bytes % declared != 0) return {};
  return sized(as_generic(info, *site_bytes, declared), *site_bytes, declared);
}

}  // namespace lq::format::scidac
