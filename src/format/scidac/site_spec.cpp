// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of one site, from datatype and sizes (formats/scidac.md 4.2). colors and spins are hints: some
// programs write spins 4 for colour matrices. Sizes decide.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/text.hpp"
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
  std::uint64_t colors = 0;
  while (colors <= 1000 && colors * colors < elements) ++colors;
  // A single complex number is a matrix only if that is stated.
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

// The letter of the precision in "QDP_D3_ColorMatrix", "GRID_F_SpinColourVector4_3", "QUDA_FNs4Nc3_ColorSpinorField";
// 0: there is none.
char letter_in(std::string_view datatype) noexcept {
  const std::size_t at = datatype.find('_');
  if (at == std::string_view::npos || at + 2 >= datatype.size()) return 0;
  const char letter = datatype[at + 1], next = datatype[at + 2];
  const bool stands_alone = next == '_' || next == 'N' || (next >= '0' && next <= '9');
  return stands_alone && (letter == 'F' || letter == 'D') ? letter : char{0};
}

// The known field name from which a word of the datatype is one letter away.
std::string_view nearly_known(std::string_view datatype) {
  constexpr std::array<std::string_view, 6> known{"ColorMatrix",  "ColourMatrix", "LorentzVector",
                                                  "DiracFermion", "ColorVector",  "Lattice"};
  for (std::string_view rest = datatype; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find('_'));
    for (const std::string_view name : known) {
      // The letter may have become the one that separates words.
      if (base::one_edit_apart(word, name) || base::one_edit_apart(rest.substr(0, name.size()), name)) return name;
    }
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return {};
}

// Sizes that match the given number of colours and spins: numbers, real or complex; for each of them none, a row or a
// matrix.
bool can_have(const RecordInfo& info, std::uint64_t word) {
  for (const std::uint64_t colors : {std::uint64_t{1}, info.colors, info.colors * info.colors}) {
    for (const std::uint64_t spins : {std::uint64_t{1}, info.spins, info.spins * info.spins}) {
      if (info.typesize == colors * spins * word || info.typesize == 2 * colors * spins * word) return true;
    }
  }
  return false;
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

std::string contradiction_in(const RecordInfo& info, const FieldSpec& spec) {
  constexpr std::array<std::string_view, 7> precisions{"F", "D", "I", "S", "L", "C", ""};
  const std::string datatype = base::printable(info.datatype), precision = base::printable(info.precision);
  if (std::ranges::find(precisions, info.precision) == precisions.end()) {
    return fmt::format("unknown precision \"{}\"; F and D are known", precision);
  }
  const char letter = letter_in(info.datatype);
  const bool is_real = info.precision == "F" || info.precision == "D";
  if (is_real && letter != 0 && letter != info.precision.front()) {
    return fmt::format("the datatype \"{}\" has precision {}, but the stated precision is {}", datatype, letter,
                       precision);
  }
  if (spec.kind != FieldKind::generic || info.colors > 1000 || info.spins > 1000) return {};
  if (const std::string_view near = nearly_known(info.datatype); !near.empty()) {
    return fmt::format("unknown datatype \"{}\", one letter away from \"{}\"", datatype, near);
  }
  const bool has_spin = contains(info.datatype, "DiracFermion") || contains(info.datatype, "ColorVector");
  const bool is_of_chroma = info.datatype == "Lattice" && !can_have(info, info.precision == "D" ? 8 : 4);
  if (info.datacount == 1 && ((has_spin && info.colors > 1) || is_of_chroma)) {
    return fmt::format("a site of \"{}\" of {} colors and {} spins does not have {} bytes", datatype, info.colors,
                       info.spins, info.typesize);
  }
  return {};
}

}  // namespace lq::format::scidac
