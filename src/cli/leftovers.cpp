// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/leftovers.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/temporary_name.hpp"

namespace lq::cli {

bool is_leftover(std::string_view path) { return base::parse_temporary_name(path).has_value(); }

std::vector<std::string> leftovers_of(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path target(path);
  const std::string name = target.filename().string();
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::vector<std::string> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string other = entry->path().filename().string();
    const auto temporary = base::parse_temporary_name(other);
    if (temporary && temporary->name == name) {
      found.push_back(target.has_parent_path() ? entry->path().string() : other);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace lq::cli
