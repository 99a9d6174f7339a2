// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/path.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace lq::base {

std::string plain_path(const std::string& path) {
  std::error_code failure;  // there is no current folder
  const std::filesystem::path whole = std::filesystem::absolute(path, failure);
  return (failure ? std::filesystem::path(path) : whole).lexically_normal().string();
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

namespace {

constexpr std::size_t longest_name = 255;  // of one path component on the file systems in use
constexpr std::size_t digits = 8;
constexpr std::string_view older_ending = ".part";

std::size_t start_of_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? 0 : slash + 1;
}

// The folder, the prefix, as much of the name as fits, and the ending.
std::string with_ending(const std::string& path, std::string_view before, std::string_view ending) {
  const std::size_t start = start_of_name(path);
  const std::string name = path.substr(start, longest_name - before.size() - ending.size());
  return fmt::format("{}{}{}{}", path.substr(0, start), before, name, ending);
}

std::string named(const std::string& path, std::string_view number, bool is_hidden) {
  return is_hidden ? hidden_name(path, fmt::format(".{}", number))
                   : with_ending(path, "", fmt::format(".{}{}", number, older_ending));
}

}  // namespace

std::string hidden_name(const std::string& path, std::string_view ending) { return with_ending(path, ".", ending); }

std::string temporary_name(const std::string& path, std::uint32_t number) {
  return named(path, fmt::format("{:08x}", number), true);
}

std::array<std::string, 2> temporary_names(const std::string& path, std::uint32_t number) {
  return {temporary_name(path, number), named(path, fmt::format("{:08x}", number), false)};
}

std::string TemporaryName::of(const std::string& other) const { return named(other, number, is_hidden); }

std::optional<TemporaryName> parse_temporary_name(std::string_view path) {
  const std::size_t start = start_of_name(path);
  std::string_view name = path.substr(start);
  const bool is_hidden = !name.ends_with(older_ending);
  if (!is_hidden) name.remove_suffix(older_ending.size());
  if (is_hidden && !name.starts_with('.')) return std::nullopt;
  if (is_hidden) name.remove_prefix(1);
  if (name.size() < digits + 2) return std::nullopt;
  const std::string_view number = name.substr(name.size() - digits);
  name.remove_suffix(digits);
  if (!name.ends_with('.') || number.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return std::nullopt;
  }
  name.remove_suffix(1);
  return TemporaryName{std::string(path.substr(0, start)) + std::string(name), std::string(number), is_hidden};
}

namespace {

struct Close {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

}  // namespace

int names_in(const std::string& folder, std::vector<std::string>& names) {
  const std::unique_ptr<DIR, Close> open(::opendir(folder.c_str()));
  if (open == nullptr) return errno;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  const int failure = errno;
  std::ranges::sort(names);
  return failure;
}

}  // namespace lq::base
