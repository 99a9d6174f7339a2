// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folders of many files that are read one after the other: what is in them is asked once, not for every name that a
// journal or a sidecar of each file might have.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/inner.hpp"
#include "storage/forwarding.hpp"

namespace lq::storage {

// Of the POSIX file system alone. Any thread once all folders are added.
class LQ_INNER ListedFolders {
 public:
  // The folder of this file, unless it was listed; one that cannot be read, or is elsewhere, is none.
  void add_folder_of(const std::string& path);

  // When the folder of the file was listed, in nanoseconds since 1970; nothing: it was not.
  std::optional<std::int64_t> when_listed(const std::string& path) const;
  // Whether its folder was listed, and it was not there.
  bool lacks(const std::string& path) const;
  // Whether this is a folder that was listed.
  bool is_listed(const std::string& folder) const;
  // The traits of files in a folder, asked once where the file system is this machine's own.
  StorageTraits unit(Transport& transport, const std::string& path) const;

 private:
  struct Folder {
    std::vector<std::string> names;  // ascending
    std::int64_t listed = 0;
  };
  const Folder* folder_of(const std::string& path) const;

  std::unordered_map<std::string, Folder> folders_;  // by the beginning of the paths in them
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, StorageTraits> units_;
};

// To read one of the files in them. What was not there when its folder was listed is absent, unless the file was
// written to since: then everything is asked again. Both outlive it.
class LQ_INNER ListedTransport final : public ForwardingTransport {
 public:
  ListedTransport(Transport& inner, const ListedFolders& folders, std::string path)
      : ForwardingTransport(inner), folders_(folders), path_(std::move(path)) {}
  std::unique_ptr<File> open_read(const std::string& path) override;
  PathKind kind(const std::string& path) override;
  StorageTraits unit(const std::string& path) override;

 private:
  const ListedFolders& folders_;
  std::string path_;
  std::atomic<bool> was_written_to_ = false;
};

// The files of folders that may be listed.
class LQ_INNER CrowdedFolders {
 public:
  // Of a folder whose files were found by listing it.
  void add(const std::string& path) { listed_.add_folder_of(path); }
  // Of those folders that have many of these files.
  void add_crowded(const std::vector<std::string>& paths);
  // Calls use(transport), with the one through which the file is to be read.
  template <class Use>
  auto with(const std::string& path, const Use& use) const {
    Transport& plain = resolve(path);
    if (!listed_.when_listed(path)) return use(plain);
    ListedTransport files(plain, listed_, path);
    return use(static_cast<Transport&>(files));
  }

 private:
  ListedFolders listed_;
};

}  // namespace lq::storage
