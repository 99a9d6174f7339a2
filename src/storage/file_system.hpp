// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What kind of file system a path is on, and the unit that two writers must not share: <limequat/file_system.hpp> for
// the library's own use.
#pragma once

#include <limequat/file_system.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/client_writes.hpp"
#include "storage/mounts.hpp"
#include "storage/storage_calls.hpp"

namespace lq::storage {

// Local. As file_system_of.
FileSystem examine_whole_file_system(const std::string& path);
// Local. The same without what takes a look at the whole file system: mount, sizes and number of targets are known
// where they come for nothing.
FileSystem examine_file_system(const std::string& path);

// FileSystem::needs_single_owner of the file system of a name as in FileSystem::name; of one unheard of the worst is
// assumed.
bool needs_single_owner(std::string_view file_system_name);
ClientWrites client_writes(std::string_view file_system_name);
// Kind::reads_in_order of the same.
bool reads_in_order(std::string_view file_system_name);

// What is known of a file system of this name with the given number of targets, without one.
FileSystem file_system_named(const std::string& name, std::uint64_t targets);
// On how many of them a new file with these stripes lies; 0: not known.
std::uint64_t targets_of_file(std::string_view file_system_name, const Stripes& stripes, std::uint64_t targets);

// What the system tells of a path, whatever is mounted.
struct SystemFacts {
  std::string path;                   // that exists
  std::uint32_t number = 0;           // of the kind of file system: statfs
  std::uint64_t preferred_bytes = 0;  // to transfer: stat
  std::uint64_t device = 0;
  std::uint64_t total_bytes = 0, free_bytes = 0;
  MountEntry mount;  // looked at for FUSE only
};
// These, what is known of their kind of file system, and what `calls` tell of the path.
FileSystem conclude(const SystemFacts& facts, StorageCalls& calls);

// Local. At the empty new file `path`: stripes for a file of this many bytes. `spare`: a free name next to it. Never
// fails; with is_set(), `path` may be another file afterwards.
struct Striped {
  Stripes stripes = {};
  FileSystem file_system = {};  // as it is for the file now
};
Striped set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                    const StripeRequest& request);
// The same in the file system of these facts.
Stripes set_stripes(const FileSystem& file_system, const std::string& path, const std::string& spare,
                    std::uint64_t file_bytes, const StripeRequest& request, StorageCalls& calls);

}  // namespace lq::storage
