// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/program_texts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "base/xml.hpp"
#include "format/record_texts.hpp"
#include "format/scidac/records.hpp"

namespace lq::format::scidac {

LatticeXml decode_lattice(std::string_view document) {
  const base::xml::Element root = base::xml::parse(document);
  if (root.name != "ildgFormat" && root.name != "etmcFormat") {
    const std::string found = fmt::format("<{}>", base::printable(root.name));
    base::fail(Code::malformed, {.expected = "<ildgFormat>", .found = found},
               "the root element is {}, not <ildgFormat> or <etmcFormat>", found);
  }
  LatticeXml lattice;
  lattice.root = root.name;
  lattice.field = root.text_of("field").value_or("");
  lattice.flavours = optional_number(root, "flavours").value_or(0);
  lattice.precision = required_number(root, "precision");
  if (lattice.precision != 32 && lattice.precision != 64) {
    base::fail(Code::malformed, {.expected = "32 or 64", .found = fmt::format("{}", lattice.precision)},
               "<precision> is {}, but only 32 and 64 are defined", lattice.precision);
  }
  lattice.extents = Coord::filled(4, 0);
  constexpr std::string_view names[4] = {"lx", "ly", "lz", "lt"};
  for (int d = 0; d < 4; ++d) {
    constexpr std::uint64_t limit = (1ULL << 62) - 1;
    lattice.extents[d] = static_cast<std::int64_t>(std::min(required_number(root, names[d]), limit));
  }
  check_extents(lattice.extents, "lx, ly, lz, lt");
  return lattice;
}

int gauge_colors(std::string_view field) noexcept {
  if (!field.starts_with("su") || !field.ends_with("gauge") || field.size() < 8) return 0;
  const auto colors = base::parse_u64(field.substr(2, field.size() - 7));
  return colors && *colors >= 2 && *colors <= 1000 ? static_cast<int>(*colors) : 0;
}

Extents decode_grid_lattice(std::string_view document) {
  const base::xml::Element root = parse_document(document, "FieldMetaData");
  const base::xml::Element* dimension = root.child("dimension");
  if (!dimension) throw Error(Code::malformed, "there is no <dimension>", {.expected = "<dimension>"});
  Extents extents;
  if (dimension->children.size() > max_dimensions) {
    base::fail(Code::malformed, {}, "<dimension> has {} elements", dimension->children.size());
  }
  extents = Extents::filled(static_cast<int>(dimension->children.size()), 0);
  for (int d = 0; d < extents.size(); ++d) {
    const auto extent = base::parse_u64(dimension->children[static_cast<std::size_t>(d)].text);
    constexpr std::uint64_t limit = 1ULL << 62;
    if (extent && *extent < limit) extents[d] = static_cast<std::int64_t>(*extent);
  }
  check_extents(extents, "dimension");
  return extents;
}

int x_of(const Extents& extents) noexcept { return extents.size() == 5 ? 1 : 0; }

GridLattice stored_lattice(const Extents& all, const RecordInfo& info, std::uint64_t bytes) {
  const int x = x_of(all);
  const auto site = base::checked_multiply(info.typesize, info.datacount);
  const auto whole_bytes = site ? base::checked_multiply(*site, volume(all)) : std::nullopt;
  GridLattice lattice{all};
  if (!whole_bytes || all[x] % 2 != 0 || *whole_bytes % 2 != 0 || *whole_bytes / 2 != bytes) return lattice;
  lattice.extents[x] /= 2;
  lattice.is_of_one_parity = true;
  return lattice;
}

namespace {

constexpr std::size_t most_facts = 64;

}  // namespace

std::string_view fact_of(const Metadata& texts, std::string_view text, std::string_view key) {
  for (const auto& [name, contents] : texts) {
    if (name != text) continue;
    for (const base::TextFact& found : base::facts_in(contents, most_facts)) {
      if (found.key == key) return found.value;
    }
  }
  return {};
}

std::optional<Subset> subset_of(const Metadata& file_texts, const Metadata& field_texts) {
  constexpr std::size_t x = 0, t = 3;
  // MILC's eigenvectors of the staggered operator.
  const bool of_milc = fact_of(file_texts, type::file_xml, "title") == "KS eigenvalues and vectors";
  if (of_milc && fact_of(file_texts, type::file_xml, "format") == "Packed") return Subset{false, t};
  // QUDA's vectors: the root of the text is <quda...ColorSpinorField>.
  const bool is_half = fact_of(field_texts, type::record_xml, "subset") == "parity";
  const std::string_view parity = fact_of(field_texts, type::record_xml, "parity");
  if (is_half) return Subset{parity == "odd", x};
  if (parity == "even" || parity == "odd") return Subset{parity == "odd"};
  return {};
}

std::optional<std::uint64_t> stated_vectors(const Metadata& file_texts) {
  return base::parse_u64(fact_of(file_texts, type::file_xml, "Nvecs"));
}

std::optional<QudaText> quda_text_of(std::string_view record_xml) {
  if (record_xml.find("ColorSpinorField>") == std::string_view::npos) return {};
  const Metadata texts{{std::string(type::record_xml), std::string(record_xml)}};
  const auto colors = base::parse_u64(fact_of(texts, type::record_xml, "nColor"));
  const auto spins = base::parse_u64(fact_of(texts, type::record_xml, "nSpin"));
  constexpr std::uint64_t most = 4096;
  if (!colors || !spins || *colors < 1 || *spins < 1 || *colors > most || *spins > most) return {};
  return QudaText{*colors, *spins};
}

void describe_as_quda(const QudaText& text, const FieldSpec& spec, RecordInfo& info) {
  if (spec.kind != FieldKind::generic || spec.numbers % text.numbers() != 0) return;
  info.datatype = fmt::format("QUDA_{}Ns{}Nc{}_ColorSpinorField", info.precision, text.spins, text.colors);
  info.colors = text.colors;
  info.spins = text.spins;
  info.typesize = text.numbers() * spec.number_bytes();
  info.datacount = spec.numbers / text.numbers();
}

}  // namespace lq::format::scidac
