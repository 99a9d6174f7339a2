// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/own_name.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>
#include <string_view>

namespace lq::storage {

std::string own_name(const std::string& path) {
  constexpr int most_links = 40;  // as many as the system follows
  std::string name = path;
  std::array<char, PATH_MAX> target;
  for (int link = 0; link < most_links; ++link) {
    const ssize_t bytes = ::readlink(name.c_str(), target.data(), target.size());
    if (bytes <= 0 || static_cast<std::size_t>(bytes) == target.size()) return name;
    const std::string_view to(target.data(), static_cast<std::size_t>(bytes));
    name.erase(to.front() == '/' ? 0 : name.rfind('/') + 1);
    name += to;
  }
  return path;
}

std::uint64_t names_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_nlink > 0 ? status.st_nlink : 1;
}

}  // namespace lq::storage
