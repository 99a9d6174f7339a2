// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue/look.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/file.hpp>

#include "base/temporary_name.hpp"
#include "base/text.hpp"
#include "catalogue/series.hpp"

namespace lq::catalogue {
namespace {

void add_properties(Looked& looked, const Metadata& texts, std::optional<std::int64_t> field) {
  for (base::Property& property : base::properties_of(texts)) looked.properties.push_back({field, std::move(property)});
}

// As the texts say, else the name.
void find_trajectory(Looked& looked) {
  NameParts name = parts_of(looked.path);
  looked.series = std::move(name.series);
  for (const FieldProperty& entry : looked.properties) {
    if (entry.property.key != "trajectory" && entry.property.key != "SEQUENCE_NUMBER") continue;
    const auto number = base::parse_u64(entry.property.value);
    if (!number || *number > INT64_MAX) continue;
    looked.trajectory = static_cast<std::int64_t>(*number);
    looked.trajectory_from = "metadata";
    return;
  }
  looked.trajectory = name.number;
  if (name.number) looked.trajectory_from = "name";
}

void look_inside(Looked& looked, const Limits& limits) {
  try {
    looked.catalog = inspect(looked.path, {}, limits);
  } catch (const Error& error) {
    looked.is_gone = error.code() == Code::not_found;
    if (error.code() == Code::unknown_format) {
      looked.other = "no format that is known";
    } else {
      looked.problem = error.what();
    }
    return;
  }
  const std::vector<std::string>& files = looked.catalog.files;
  if (files.size() > 1 && files.front() != looked.path) looked.other = "part of " + files.front();
}

}  // namespace

const char* Looked::state() const noexcept {
  if (!problem.empty()) return "unreadable";
  const auto is_broken = [](const Finding& f) { return f.severity == Severity::error && f.code != Code::truncated; };
  if (std::ranges::any_of(catalog.findings, is_broken)) return "damaged";
  const bool ends_early = catalog.first_error() != nullptr || !catalog.complete;
  return ends_early || base::parse_temporary_name(path) ? "incomplete" : "indexed";
}

Looked look_at(const std::string& path, const Limits& limits) {
  constexpr int attempts = 3;
  Looked looked;
  for (int attempt = 1;; ++attempt) {
    looked = {};
    looked.path = path;
    if (!status_of(path, looked.status)) {
      looked.is_gone = true;
      return looked;
    }
    look_inside(looked, limits);
    FileStatus after;
    const bool is_there = status_of(path, after);
    looked.is_changing = is_there && (after.size != looked.status.size || after.modified != looked.status.modified);
    if (!looked.is_changing || attempt == attempts) break;
  }
  add_properties(looked, looked.catalog.metadata, std::nullopt);
  for (std::size_t k = 0; k < looked.catalog.fields.size(); ++k) {
    add_properties(looked, looked.catalog.fields[k].metadata, static_cast<std::int64_t>(k));
  }
  find_trajectory(looked);
  return looked;
}

}  // namespace lq::catalogue
