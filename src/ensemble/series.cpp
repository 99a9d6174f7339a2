// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/series.hpp"

#include <algorithm>
#include <cctype>

#include <limequat/inspect.hpp>

#include "base/text.hpp"

namespace lq::ensemble {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view suffix_of_format(std::string_view path) {
  static const std::vector<FormatInfo> all = formats();
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto is_same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };  // ".H5"
  // Those of HDF5 also where it cannot be read, and that of the numbers beside a description.
  std::size_t longest = 0;
  const auto take = [&](std::string_view suffix) {
    if (name.size() <= suffix.size()) return;
    if (std::ranges::equal(name.substr(name.size() - suffix.size()), suffix, is_same)) {
      longest = std::max(longest, suffix.size());
    }
  };
  for (const std::string_view suffix : {".h5", ".hdf5", ".raw.data"}) take(suffix);
  for (const FormatInfo& format : all) {
    for (const std::string_view suffix : format.suffixes) take(suffix);
  }
  return name.substr(name.size() - longest);
}

NameParts parts_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  std::size_t end = path.size() - suffix_of_format(path).size();
  while (end > begin && !is_digit(path[end - 1])) --end;
  std::size_t first = end;
  while (first > begin && is_digit(path[first - 1])) --first;
  const auto number = base::parse_u64(path.substr(first, end - first));
  if (!number || *number > INT64_MAX) return {std::string(path), std::nullopt};
  return {std::string(path.substr(0, first)) + '*' + std::string(path.substr(end)), static_cast<std::int64_t>(*number)};
}

}  // namespace lq::ensemble
