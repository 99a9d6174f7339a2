// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/leftovers.hpp"

#include "base/folder.hpp"
#include "base/path.hpp"
#include "base/temporary_name.hpp"

namespace lq::cli {

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

}  // namespace lq::cli
