// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The regular files below folders, of however many.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lq::ensemble {

struct FileStatus {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::int64_t device = 0, inode = 0;
};

// Of a regular file, or of what a link to one means; false: there is none.
bool status_of(const std::string& path, FileStatus& status) noexcept;
// Whether the name itself is a symbolic link, wherever it leads.
bool is_link(const std::string& path) noexcept;

// An absolute path without links, dots and a slash at its end; not_found.
std::string full_path(const std::string& path);

// Calls `visit` for each regular file below, in no particular order; links to files are followed, links to folders are
// not. A link that leads nowhere has an empty status. `unreadable` gets folders that cannot be read, with the reason.
void walk(const std::string& folder, const std::function<void(const std::string& path, const FileStatus&)>& visit,
          const std::function<void(const std::string& folder, const std::string& reason)>& unreadable);

}  // namespace lq::ensemble
