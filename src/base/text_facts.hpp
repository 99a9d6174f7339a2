// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts in the texts of lattice files: lines "beta = 6.0, kappa = 0.125" as in xlf-info, or the leaves of an XML
// document as in scidac-record-xml. Not a parser: anything of another form is skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <limequat/metadata.hpp>

#include "base/inner.hpp"

namespace lq::base {

struct TextFact {
  std::string_view key;    // as the text spells it
  std::string_view value;  // white space at both ends removed; a part of the text
};

// True if a text is treated as an XML document.
bool is_xml(std::string_view text) noexcept;

// In order, at most `limit` of them. Views into `text`.
std::vector<TextFact> facts_in(std::string_view text, std::size_t limit);

// One name for the spellings of a known fact: "plaq" and "PLAQUETTE" are "plaquette".
std::string_view unified_key(std::string_view key) noexcept;

// Facts in the texts that travel with a field: "key = value" lines, XML leaves. For display; nothing is
// computed from them.

struct Property {
  std::string key;     // "plaquette", "trajectory", "beta", ... ; spellings of known facts are unified
  std::string value;   // as the text has it, white space at the ends removed
  std::string source;  // name of the text
};

LQ_INNER std::vector<Property> properties_of(const Metadata& metadata);

}  // namespace lq::base
