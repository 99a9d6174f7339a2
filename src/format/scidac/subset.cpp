// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/subset.hpp"

#include <string_view>

#include "base/text_facts.hpp"
#include "format/scidac/record_types.hpp"

namespace lq::format::scidac {
namespace {

constexpr std::size_t most_facts = 64;

// The first fact of that name in the text of that name, or nothing.
std::string_view fact(const Metadata& texts, std::string_view text, std::string_view key) {
  for (const auto& [name, contents] : texts) {
    if (name != text) continue;
    for (const base::TextFact& found : base::facts_in(contents, most_facts)) {
      if (found.key == key) return found.value;
    }
  }
  return {};
}

}  // namespace

std::optional<Subset> subset_of(const Metadata& file_texts, const Metadata& field_texts) {
  // MILC's eigenvectors of the staggered operator.
  const bool of_milc = fact(file_texts, type::file_xml, "title") == "KS eigenvalues and vectors";
  if (of_milc && fact(file_texts, type::file_xml, "format") == "Packed") return Subset{"the even sites", true, "t"};
  // QUDA's vectors: the root of the text is <quda...ColorSpinorField>.
  const bool is_half = fact(field_texts, type::record_xml, "subset") == "parity";
  const std::string_view parity = fact(field_texts, type::record_xml, "parity");
  if (is_half) return Subset{parity == "odd" ? "the odd sites" : "the even sites", true, "x"};
  if (parity == "even") return Subset{"the even sites"};
  if (parity == "odd") return Subset{"the odd sites"};
  return {};
}

}  // namespace lq::format::scidac
