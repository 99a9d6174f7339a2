// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/properties.hpp"

#include "base/text.hpp"
#include "base/text_facts.hpp"

namespace lq::base {
namespace {

constexpr std::size_t most_per_text = 64;   // a text of data is no list of facts
constexpr std::size_t longest_value = 240;  // of what fits a line or two
constexpr std::size_t longest_key = 48;

bool is_fact(std::string_view key, std::string_view value) noexcept {
  return !key.empty() && !value.empty() && key.size() <= longest_key && value.size() <= longest_value;
}

}  // namespace

std::vector<Property> properties_of(const Metadata& metadata) {
  std::vector<Property> properties;
  for (const auto& [name, contents] : metadata) {
    const std::size_t before = properties.size();
    for (const TextFact& fact : facts_in(contents, most_per_text)) {
      if (!is_fact(fact.key, fact.value)) continue;
      properties.push_back({std::string(unified_key(fact.key)), std::string(fact.value), name});
    }
    // A short text that is neither is a fact by itself: "ildg-data-lfn".
    const std::string_view text = trim(contents);
    const bool one_line = text.find('\n') == std::string_view::npos && !text.starts_with('<');
    if (properties.size() == before && one_line && is_fact(name, text)) {
      properties.push_back({std::string(unified_key(name)), std::string(text), name});
    }
  }
  return properties;
}

}  // namespace lq::base
