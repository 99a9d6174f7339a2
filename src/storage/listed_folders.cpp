// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/listed_folders.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "base/path.hpp"

namespace lq::storage {
namespace {

// Clocks of file systems tick every 2 s at most, and those of servers may be some seconds late.
constexpr std::int64_t clocks_differ_by = 10'000'000'000;

std::int64_t now_in_nanoseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

void ListedFolders::add_folder_of(const std::string& path) {
  const std::string beginning = base::folder_before(path);
  if (folders_.contains(beginning) || &resolve(path) != &posix()) return;
  Folder folder{{}, now_in_nanoseconds()};
  if (base::names_in(base::directory_of(path), folder.names) != 0) return;  // which are ascending
  folders_.emplace(beginning, std::move(folder));
}

const ListedFolders::Folder* ListedFolders::folder_of(const std::string& path) const {
  const auto found = folders_.find(base::folder_before(path));
  return found == folders_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> ListedFolders::when_listed(const std::string& path) const {
  const Folder* const folder = folder_of(path);
  return folder == nullptr ? std::nullopt : std::optional(folder->listed);
}

bool ListedFolders::lacks(const std::string& path) const {
  const Folder* const folder = folder_of(path);
  if (folder == nullptr) return false;
  return !std::ranges::binary_search(folder->names, std::string_view(path).substr(path.rfind('/') + 1), std::less<>());
}

bool ListedFolders::is_listed(const std::string& folder) const {
  return folders_.contains(folder.ends_with('/') ? folder : folder + '/') ||
         (folder == "." && folders_.contains(std::string()));
}

StorageTraits ListedFolders::unit(Transport& transport, const std::string& path) const {
  const std::string folder = base::folder_before(path);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = units_.find(folder); known != units_.end()) return known->second;
  }
  const StorageTraits unit = transport.unit(path);
  if (unit.one_writer) {  // elsewhere each file has stripes of its own
    const std::lock_guard lock(mutex_);
    units_.emplace(folder, unit);
  }
  return unit;
}

void CrowdedFolders::add_crowded(const std::vector<std::string>& paths) {
  constexpr std::uint64_t many_files = 16;
  std::unordered_map<std::string, std::uint64_t> files;
  for (const std::string& path : paths) {
    if (++files[base::folder_before(path)] == many_files) add(path);
  }
}

std::unique_ptr<File> ListedTransport::open_read(const std::string& path) {
  auto file = ForwardingTransport::open_read(path);
  const auto listed = folders_.when_listed(path);
  if (path == path_ && (!listed || file->identity_when_opened().modified >= *listed - clocks_differ_by)) {
    was_written_to_ = true;
  }
  return file;
}

PathKind ListedTransport::kind(const std::string& path) {
  if (!was_written_to_) {
    if (folders_.is_listed(path)) return PathKind::directory;  // first: "." is not a name in itself
    if (folders_.lacks(path)) return PathKind::absent;
  }
  return ForwardingTransport::kind(path);
}

StorageTraits ListedTransport::unit(const std::string& path) { return folders_.unit(inner(), path); }

}  // namespace lq::storage
