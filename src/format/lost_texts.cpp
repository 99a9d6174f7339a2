// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a conversion would lose. Texts that only repeat what the numbers say, or which program wrote the file, are none.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "format/format.hpp"

namespace lq::format {
namespace {

// Names that any format settles for itself, and records of Grid that describe the numbers as its file stores them.
constexpr std::array<std::string_view, 5> settled{"plaquette", "link_trace", "date", "grid-format",
                                                  "FieldNormMetaData"};
constexpr std::string_view no_lfn = "lfn://unregistered/";

// Facts that every file has, or that name its writer.
bool says_something(const base::TextFact& fact) {
  const std::string_view key = base::unified_key(fact.key);
  if (key == "plaquette" || key == "link_trace" || key == "creator" || key == "title") return false;
  return !(key == "info" && fact.value.starts_with("limequat"));
}

bool says_something(std::string_view text) {
  text = base::trim(text);
  if (text.empty() || text.starts_with(no_lfn)) return false;
  const auto facts = base::facts_in(text, 4096);
  if (facts.empty()) return true;
  return std::ranges::any_of(facts, [](const base::TextFact& fact) { return says_something(fact); });
}

}  // namespace

Metadata lost_texts(const Metadata& texts, const Metadata& kept) {
  Metadata lost;
  for (const auto& text : texts) {
    const bool is_settled = std::ranges::find(settled, text.first) != settled.end();
    const bool is_kept = std::ranges::find(kept, text) != kept.end();
    if (!is_settled && !is_kept && says_something(std::string_view(text.second))) lost.push_back(text);
  }
  return lost;
}

}  // namespace lq::format
