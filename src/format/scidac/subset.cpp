// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/subset.hpp"

#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "format/scidac/record_types.hpp"

namespace lq::format::scidac {
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

}  // namespace lq::format::scidac
