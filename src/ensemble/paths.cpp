// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/paths.hpp"

#include <algorithm>
#include <functional>

namespace lq::ensemble {
namespace {

// The part before the last slash; for "/name" and "/" the root.
std::string_view parent_of(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

std::string joined(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (name.empty()) return path;
  if (!path.ends_with('/')) path += '/';
  return path += name;
}

// What follows the folder and its slash.
std::string_view rest_below(std::string_view path, std::string_view folder) noexcept {
  path.remove_prefix(folder.size());
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

}  // namespace

bool is_below(std::string_view path, std::string_view folder) noexcept {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

std::string_view without_leading_path(std::string_view sentence, std::string_view path) noexcept {
  if (path.empty() || !sentence.starts_with(path) || !sentence.substr(path.size()).starts_with(": ")) return sentence;
  return sentence.substr(path.size() + 2);
}

void Paths::redirect(std::string from, std::string to) {
  redirections_.emplace_back(std::move(from), std::move(to));
  // Of nested folders the innermost applies.
  std::ranges::stable_sort(redirections_, std::ranges::greater(), [](const auto& one) { return one.first.size(); });
}

std::string Paths::full_from(std::string_view folder, std::string_view kept) {
  if (kept.starts_with('/') || folder.empty()) return std::string(kept);
  while (kept.starts_with("../")) {
    folder = parent_of(folder);
    kept.remove_prefix(3);
  }
  if (kept == "..") return std::string(parent_of(folder));
  if (kept == ".") return std::string(folder);
  return joined(folder, kept);
}

std::string Paths::full(std::string_view kept) const {
  std::string path = full_from(folder_, kept);
  for (const auto& [from, to] : redirections_) {
    if (is_below(path, from)) return joined(to, rest_below(path, from));
  }
  return path;
}

std::string Paths::kept(std::string_view full) const {
  if (folder_.empty() || !full.starts_with('/')) return std::string(full);
  std::string_view above = folder_;
  std::string steps;
  while (!is_below(full, above)) {
    above = parent_of(above);
    steps += "../";
  }
  const std::string_view rest = rest_below(full, above);
  if (!rest.empty()) return steps += rest;
  if (steps.empty()) return ".";
  steps.pop_back();
  return steps;
}

}  // namespace lq::ensemble
