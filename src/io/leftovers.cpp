// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/leftovers.hpp"

#include <algorithm>

#include "base/path.hpp"

namespace lq::io {

bool is_leftover(std::string_view path) { return base::parse_temporary_name(path).has_value(); }

std::vector<std::string> leftovers_of(const std::string& path) {
  const std::size_t begin = path.rfind('/') + 1;  // 0 where there is none
  const std::string before = path.substr(0, begin), name = path.substr(begin);
  std::vector<std::string> names, found;
  base::names_in(base::directory_of(path), names);
  for (const std::string& other : names) {
    const auto temporary = base::parse_temporary_name(other);
    if (temporary && temporary->name == name) found.push_back(before + other);
  }
  return found;
}

std::vector<std::string> unneeded_leftovers(const Catalog& catalog) {
  const auto is_replaced = [](const Finding& finding) { return finding.rule == "replacement"; };
  if (std::ranges::any_of(catalog.findings, is_replaced)) return {};
  std::vector<std::string> found = leftovers_of(catalog.path);
  std::erase_if(found,
                [&](const std::string& name) { return std::ranges::find(catalog.files, name) != catalog.files.end(); });
  return found;
}

}  // namespace lq::io
