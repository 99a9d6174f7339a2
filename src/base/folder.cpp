// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/folder.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace lq::base {
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
