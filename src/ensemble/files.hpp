// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of an ensemble in the file system: found below folders, known by their names, replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lq::ensemble {

// The regular files below folders.
struct FileStatus {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::int64_t device = 0, inode = 0;
};

// For a regular file, or the target of a link to one; false: there is none.
bool status_of(const std::string& path, FileStatus& status) noexcept;
// True if the name itself is a symbolic link, wherever it leads.
bool is_link(const std::string& path) noexcept;

// An absolute path without links, dots and a trailing slash; not_found.
std::string full_path(const std::string& path);

// Calls `visit` for each regular file below, in no particular order; links to files are followed, links to folders are
// not. A link that leads nowhere has an empty status. `unreadable` gets folders that cannot be read, with the reason.
// `not_entered` gets links to folders, pipes, sockets and devices, and folders with the suffix of a file, which are
// entered. Files and folders for which `is_left_out` returns
// true are skipped.
void walk(const std::string& folder, const std::function<void(const std::string& path, const FileStatus&)>& visit,
          const std::function<void(const std::string& folder, const std::string& reason)>& unreadable,
          const std::function<void(const std::string& path)>& not_entered = {},
          const std::function<bool(const std::string& path)>& is_left_out = {});

// "a link to the folder /data/old, which is not followed; name that folder to include it"
// "a named pipe, which contains no file"
std::string describe_not_entered(const std::string& path);

// Patterns with * and ?, between commas. One without a slash is compared with names, any other with paths below
// `folder`.
class Exclusion {
 public:
  explicit Exclusion(std::string_view patterns);
  bool is_none() const noexcept { return names_.empty() && paths_.empty(); }
  // True also for paths in a matching folder below `folder`.
  bool holds(std::string_view path, std::string_view folder) const;

 private:
  bool matches(const std::string& path_below) const;

  std::vector<std::string> names_, paths_;
};

// Facts in the names of files: configurations of one run differ only in a number.
struct NameParts {
  std::string series;                  // the path with "*" for the number: "/data/conf.*.lime"
  std::optional<std::int64_t> number;  // the last digits of the name that do not belong to the suffix of a format
  // The number is that of the folder, because the name has none: "/data/*/lattice", "/data/conf_*/links.h5". Folders
  // whose names say that they are something else are not numbered: "/data/L24/links.h5".
  bool is_of_folder = false;
};

NameParts parts_of(std::string_view path);

// The path without what marks an old or temporary version: "conf.0100.ildg" for "conf.0100.ildg.bak",
// "conf.0100_old.ildg", "conf.0100.ildg (copy)", "conf.0100.ildg~" and "old_conf.0100.ildg"; "0100/lattice" for
// "0100.bak/lattice". Empty: it has no such mark.
std::string without_version_mark(const std::string& path);

// The last name of a path, or "0250/lattice" if the files of a series have all the same name.
std::string telling_name_of(const std::string& path);
// The telling names of the first few paths: "conf.0010, conf.0020 and 3 more".
std::string names_text(const std::vector<std::string>& paths);
inline constexpr std::size_t most_names = 6;  // in a message

// The longest suffix of a format that the path has: ".ildg"; empty: none.
std::string_view suffix_of_format(std::string_view path);
// True if the path has a suffix of other formats: "x.ildg" for a file of format nersc.
bool has_suffix_of_others(std::string_view path, std::string_view format);

}  // namespace lq::ensemble
