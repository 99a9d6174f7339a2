// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/merge_texts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "base/xml.hpp"

namespace lq::io {

namespace {

// Names of texts differ in capitals only by accident: "ildg-data-LFN".
bool same_name(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// The source's texts, each once.
Metadata texts_of(const Catalog& catalog, const FieldEntry& entry) {
  Metadata texts = entry.metadata;
  std::ranges::copy_if(catalog.metadata, std::back_inserter(texts), [&](const auto& item) {
    return std::ranges::none_of(entry.metadata, [&](const auto& own) { return own.first == item.first; });
  });
  return texts;
}

// Gives every fact of that name another value. False: the text gives none.
bool replace_fact(std::string& text, std::string_view key, std::string_view value) {
  const std::string written = base::is_xml(text) ? base::xml::escape(value) : std::string(value);
  std::string result;
  std::size_t done = 0;
  for (const base::TextFact& fact : base::facts_in(text, std::numeric_limits<std::size_t>::max())) {
    if (base::unified_key(fact.key) != base::unified_key(key)) continue;
    const auto place = static_cast<std::size_t>(fact.value.data() - text.data());
    result.append(text, done, place - done).append(written);
    done = place + fact.value.size();
  }
  if (done == 0) return false;
  result.append(text, done);
  text = std::move(result);
  return true;
}

// What `lq generate` says of a configuration that it made: nobody needs it to know the numbers, and the same command
// gives it again. Whatever else stands there is somebody's.
bool is_of_generator(std::string_view text) {
  constexpr std::array<std::string_view, 8> its_facts{"plaquette", "trajectory",      "beta",  "group",
                                                      "seed",      "over_relaxation", "start", "creator"};
  bool is_ours = false;
  for (const base::TextFact& fact : base::facts_in(text, 64)) {
    const std::string_view key = base::unified_key(fact.key);
    if (std::ranges::find(its_facts, key) == its_facts.end()) return false;
    if (key == "creator" && !fact.value.starts_with("limequat ")) return false;
    is_ours = is_ours || key == "creator";
  }
  return is_ours;
}

void require_kept(const Catalog& catalog, const FieldEntry& entry, const format::Format& target, Metadata lost) {
  std::erase_if(lost, [](const auto& text) { return is_of_generator(text.second); });
  if (lost.empty()) return;
  std::string names;
  for (const auto& [name, text] : lost) names += (names.empty() ? "" : ", ") + base::printable(name);
  throw Error(Code::unsupported,
              fmt::format("{}: files of format \"{}\" have no place for {}, which \"{}\" has; allow the loss (option "
                          "`allow_loss`, `lq`: --allow-loss), or convert to ildg, scidac or hdf5",
                          catalog.path, target.name(), names, entry.name),
              {.path = catalog.path, .record = base::printable(lost.front().first)});
}

}  // namespace

bool speaks_of_all_sites(std::string_view name, std::string_view text) {
  constexpr std::array<std::string_view, 4> names{"xlf-info", "ildg-data-lfn", "grid-format", "FieldNormMetaData"};
  if (std::ranges::find(names, name) != names.end()) return true;
  constexpr std::array<std::string_view, 5> words{"plaq", "linktr", "link_trace", "trajectory", "checksum"};
  const auto holds = [&](std::string_view word) {
    return text.find(word) != std::string_view::npos || name.find(word) != std::string_view::npos;
  };
  return std::ranges::any_of(words, holds);
}

Metadata merge_texts(const Catalog& catalog, const FieldEntry& entry, bool is_whole, const format::Format& target,
                     const ConvertOptions& options) {
  const Metadata& given = options.write.metadata;
  Metadata texts = texts_of(catalog, entry);
  std::erase_if(texts, [&](const auto& text) {
    return std::ranges::any_of(given, [&](const auto& item) { return same_name(item.first, text.first); }) ||
           (!is_whole && speaks_of_all_sites(text.first, text.second));
  });
  const Precision stored = entry.payload.spec.precision;
  Metadata result = target.for_fields().carried(texts, !is_whole || options.write.precision.value_or(stored) != stored);
  if (!options.allow_loss) require_kept(catalog, entry, target, format::lost_texts(texts, result));
  const std::size_t carried = result.size();
  for (const auto& [key, value] : given) {
    bool replaced = false;
    for (std::size_t i = 0; i < carried; ++i) replaced = replace_fact(result[i].second, key, value) || replaced;
    if (!replaced) result.emplace_back(key, value);
  }
  return result;
}

}  // namespace lq::io
