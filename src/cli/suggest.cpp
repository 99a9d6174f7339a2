// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/suggest.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::cli {
namespace {

std::optional<std::string> meant(std::string_view word, const std::vector<std::string>& candidates) {
  // An abbreviation is meant even where many letters are missing.
  const auto continues = [&](const std::string& candidate) { return word.size() > 2 && candidate.starts_with(word); };
  const auto longer = std::find_if(candidates.begin(), candidates.end(), continues);
  return longer != candidates.end() ? *longer : base::nearest(word, candidates);
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> name = meant(word, candidates);
  return name ? fmt::format("; did you mean \"{}\"?", *name) : std::string();
}

}  // namespace lq::cli
