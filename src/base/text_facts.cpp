// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/text_facts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace lq::base {
namespace {

void add_pair(std::string_view piece, std::vector<TextFact>& facts) {
  const std::size_t equals = piece.find('=');
  if (equals == std::string_view::npos) return;
  const TextFact fact{trim(piece.substr(0, equals)), trim(piece.substr(equals + 1))};
  if (!fact.key.empty() && !fact.value.empty()) facts.push_back(fact);
}

// A comma separates only if another "=" follows.
void add_line(std::string_view line, std::vector<TextFact>& facts) {
  std::size_t begin = 0;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',', comma + 1)) {
    const std::string_view next = line.substr(comma + 1, line.find(',', comma + 1) - comma - 1);
    if (next.find('=') == std::string_view::npos) continue;
    add_pair(line.substr(begin, comma - begin), facts);
    begin = comma + 1;
  }
  add_pair(line.substr(begin), facts);
}

void add_lines(std::string_view text, std::size_t limit, std::vector<TextFact>& facts) {
  while (!text.empty() && facts.size() < limit) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add_line(text.substr(0, end), facts);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Elements that contain text and no other elements; except the version, which belongs to the schema.
void add_leaves(std::string_view text, std::size_t limit, std::vector<TextFact>& facts) {
  std::size_t at = 0;
  while (facts.size() < limit && (at = text.find('<', at)) != std::string_view::npos) {
    const std::size_t close = text.find('>', at);
    if (close == std::string_view::npos) return;
    const std::string_view inside = text.substr(at + 1, close - at - 1);
    const std::string_view tag = inside.substr(0, inside.find_first_of(" \t\n\r/"));
    const std::size_t next = text.find('<', close);
    if (next == std::string_view::npos) return;
    const std::string_view end = text.substr(next);
    const std::string_view value = trim(text.substr(close + 1, next - close - 1));
    const bool is_leaf = !tag.empty() && tag != "version" && end.starts_with("</") && end.substr(2).starts_with(tag);
    if (is_leaf && !value.empty()) facts.push_back({tag, value});
    at = next;
  }
}

}  // namespace

bool is_xml(std::string_view text) noexcept { return trim(text).starts_with('<'); }

std::vector<TextFact> facts_in(std::string_view text, std::size_t limit) {
  std::vector<TextFact> facts;
  if (is_xml(text)) {
    add_leaves(text, limit, facts);
  } else {
    add_lines(text, limit, facts);
  }
  facts.resize(std::min(facts.size(), limit));
  return facts;
}

std::string_view unified_key(std::string_view key) noexcept {
  // Spellings of the same fact in tmLQCD, QIO and others.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> names = {
      {{"plaq", "plaquette"},
       {"linktr", "link_trace"},
       {"link trace", "link_trace"},
       {"trajectory nr", "trajectory"},
       {"PLAQUETTE", "plaquette"},
       {"LINK_TRACE", "link_trace"}}};
  const auto known = std::ranges::find(names, key, [](const auto& name) { return name.first; });
  return known == names.end() ? key : known->second;
}

namespace {

constexpr std::size_t most_per_text = 64;   // limits texts that hold data
constexpr std::size_t longest_value = 240;  // fits a line or two
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
    // A short text of neither kind is itself a fact: "ildg-data-lfn".
    const std::string_view text = trim(contents);
    const bool one_line = text.find('\n') == std::string_view::npos && !text.starts_with('<');
    if (properties.size() == before && one_line && is_fact(name, text)) {
      properties.push_back({std::string(unified_key(name)), std::string(text), name});
    }
  }
  return properties;
}

}  // namespace lq::base
