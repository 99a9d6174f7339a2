// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts in the texts of lattice files: lines "beta = 6.0, kappa = 0.125" as in xlf-info, or the leaves of an XML
// document as in scidac-record-xml. Not a parser: whatever looks otherwise is passed over.
#pragma once

#include <string_view>
#include <vector>

namespace lq::base {

struct TextFact {
  std::string_view key;    // as the text spells it
  std::string_view value;  // white space at both ends removed; a part of the text
};

// Whether a text is taken for an XML document.
bool is_xml(std::string_view text) noexcept;

// In order, at most `limit` of them. Views into `text`.
std::vector<TextFact> facts_in(std::string_view text, std::size_t limit);

// One name for the spellings of a known fact: "plaq" and "PLAQUETTE" are "plaquette".
std::string_view unified_key(std::string_view key) noexcept;

}  // namespace lq::base
