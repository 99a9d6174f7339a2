// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/leftovers.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lq::cli {
namespace {

constexpr std::size_t number_digits = 8;
constexpr std::string_view part_suffix = ".part";

}  // namespace

bool is_leftover(std::string_view path) noexcept {
  if (!path.ends_with(part_suffix)) return false;
  path.remove_suffix(part_suffix.size());
  if (path.size() <= number_digits + 1 || path[path.size() - number_digits - 1] != '.') return false;
  const std::string_view number = path.substr(path.size() - number_digits);
  return number.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<std::string> leftovers_of(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path target(path);
  const std::string name = target.filename().string();
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::vector<std::string> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string other = entry->path().filename().string();
    const bool ours = other.size() == name.size() + 1 + number_digits + part_suffix.size();
    if (!name.empty() && ours && other.starts_with(name + ".") && is_leftover(other)) {
      found.push_back(target.has_parent_path() ? entry->path().string() : other);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace lq::cli
