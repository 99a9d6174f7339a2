// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/walk.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/error_errno.hpp"
#include "base/folder.hpp"
#include "base/interruption.hpp"

namespace lq::ensemble {
namespace {

FileStatus taken(const struct stat& found) noexcept {
  return {static_cast<std::uint64_t>(found.st_size),
          std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec,
          static_cast<std::int64_t>(found.st_dev), static_cast<std::int64_t>(found.st_ino)};
}

}  // namespace

bool status_of(const std::string& path, FileStatus& status) noexcept {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  status = taken(found);
  return true;
}

bool is_link(const std::string& path) noexcept {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

std::string full_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (!real) throw base::errno_error(path, "look into it", errno);
  return real.get();
}

void walk(const std::string& folder, const std::function<void(const std::string&, const FileStatus&)>& visit,
          const std::function<void(const std::string&, const std::string&)>& unreadable) {
  std::vector<std::string> waiting = {folder};
  while (!waiting.empty()) {
    base::throw_if_interrupted();
    const std::string here = std::move(waiting.back());
    waiting.pop_back();
    std::vector<std::string> names;
    const int failure = base::names_in(here, names);
    for (const std::string& name : names) {
      std::string path = here.back() == '/' ? here : here + '/';
      path += name;
      struct stat found {};
      if (::lstat(path.c_str(), &found) != 0) continue;
      if (S_ISDIR(found.st_mode)) {
        waiting.push_back(std::move(path));
        continue;
      }
      if (S_ISLNK(found.st_mode) && ::stat(path.c_str(), &found) != 0) {
        visit(path, {});
        continue;
      }
      if (S_ISREG(found.st_mode)) visit(path, taken(found));
    }
    if (failure != 0) unreadable(here, std::strerror(failure));
  }
}

}  // namespace lq::ensemble
