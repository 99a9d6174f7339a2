// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A complete multifile: all its physical files, and the place of each task of the set. Takes 32 bytes per task and 8
// per chunk, and keeps no file open.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"

namespace lq::format::sion {

// Names of the physical files of a set (formats/sion.md 1).

// Local. The name of physical file `number` of a set; programs may have their own rule.
using NameRule = std::function<std::string(std::int32_t number)>;
// The same for sets of any name, as for copies.
using SetRule = std::function<std::string(const std::string& name, std::int32_t number)>;

// NAME, NAME.000001, NAME.000002, ...
std::string file_name(const std::string& name, std::int32_t number);
// NAME_BUDDY_00, ...: the first file of a copy.
std::string buddy_name(const std::string& name, std::int32_t level);
// The name of physical file `number` of a copy of set `name`; rule empty: the usual one.
std::string copy_name(const std::string& name, std::int32_t level, std::int32_t number, const SetRule& rule);

// The parts of a name: "x.sion.000012" is number 12 of "x.sion"; any other name is number 0 of itself.
struct SetName {
  std::string name;
  std::int32_t number = 0;
};
SetName split_name(std::string_view path);

// Opens a file for reading; Error(not_found) if it does not exist.
using Open = std::function<std::unique_ptr<base::ByteSource>(const std::string& path)>;

struct SetOptions {
  Bounds bounds = {};
  NameRule names = {};             // of the set's files; empty: as writers name them
  bool tolerates_damage = false;   // files that were not closed, or lost their metadata block 2, get no table
  bool drops_tables = false;       // ... neither do files with a damaged metadata block 2
  bool tolerates_missing = false;  // missing files get no table, if their tasks can be determined
  std::int32_t files = 0;          // their number, overriding the stated one; 0: as stated
};

struct PhysicalFile {
  std::string path;
  std::uint64_t bytes = 0;
  FixedHead head;
  std::int32_t max_chunks = 0;
  std::uint64_t tail_offset = 0;    // 0: not closed
  std::vector<std::int64_t> ranks;  // of each local task
  Geometry geometry;
  ChunkTable table;               // empty if it is lost
  std::optional<Finding> damage;  // the reason
  bool is_missing = false;        // it does not exist; its head is another file's, except for tasks and ranks

  bool has_table() const noexcept { return table.tasks() == geometry.tasks(); }
};

// True if it is about a missing file of a set, which affects its own streams only.
bool is_of_missing_file(const Finding& finding) noexcept;

// Local. One file of a set without the others, and without the map in file 0. Throws as Set::open().
PhysicalFile read_file(base::ByteSource& file, const SetOptions& options = {});
// Throws BrokenRule(malformed): a file is not the one with this number in the set whose file 0 is `first`. Only the
// path and head of both are used.
void require_same_set(const PhysicalFile& first, const PhysicalFile& other, std::int32_t number);

class Set {
 public:
  // Local. The complete set that the file belongs to: `path` may be any of its files. Throws the errors of reading and
  // BrokenRule: which file is missing, swapped, damaged or of another generation.
  static Set open(const std::string& path, const Open& open, const SetOptions& options = {});
  // Local. The same for an open file.
  static Set open(base::ByteSource& file, const Open& open, const SetOptions& options = {});

  const std::vector<PhysicalFile>& files() const noexcept { return files_; }
  // The number of the file by which the set was opened.
  std::int32_t given_file() const noexcept { return given_; }
  bool is_whole() const noexcept;  // every file has its table
  // A table for a file that has lost its own.
  void set_table(std::int32_t file, ChunkTable table) {
    files_[static_cast<std::size_t>(file)].table = std::move(table);
  }
  // Discards a damaged table.
  void drop_table(std::int32_t file, Finding damage);

  // Tasks of the set, in the order of their global ranks if there are several files, else as stored.
  std::int32_t tasks() const noexcept;
  Place place(std::int32_t task) const noexcept {
    return map_.empty() ? Place{0, task} : map_[static_cast<std::size_t>(task)];
  }
  std::vector<Place> places() const;  // of all tasks
  const PhysicalFile& file_of(std::int32_t task) const noexcept {
    return files_[static_cast<std::size_t>(place(task).file)];
  }
  std::int64_t rank(std::int32_t task) const noexcept {
    return file_of(task).ranks[static_cast<std::size_t>(place(task).task)];
  }
  std::uint64_t width(std::int32_t task) const noexcept { return file_of(task).geometry.width(place(task).task); }
  // The following need the table of the task's file.
  std::uint64_t chunks(std::int32_t task) const noexcept { return file_of(task).table.count(place(task).task); }
  std::uint64_t bytes(std::int32_t task) const noexcept { return file_of(task).table.bytes(place(task).task); }
  std::uint64_t used(std::int32_t task, std::uint64_t chunk) const noexcept {
    return static_cast<std::uint64_t>(file_of(task).table.used(place(task).task)[chunk]);
  }
  std::uint64_t offset(std::int32_t task, std::uint64_t chunk) const noexcept {
    return file_of(task).geometry.chunk_offset(place(task).task, chunk);
  }

 private:
  static Set open_whole(base::ByteSource& file, const Open& open, const SetOptions& options);
  static Set open_rest(base::ByteSource& file, const Open& open, const SetOptions& options);

  std::vector<PhysicalFile> files_;
  std::vector<Place> map_;  // empty: one file, with the tasks in storage order
  std::int32_t given_ = 0;
};

// The place of each task of a set: the map of file 0 compared with the other files, or made from the global ranks that
// they state (formats/sion.md 5.2).

// Throws BrokenRule(malformed) unless each entry names an existing task with the entry's rank, and no task is
// named twice. Tasks that no entry names are placeholders of a buddy copy.
void require_one_to_one(const std::vector<Place>& map, const std::vector<PhysicalFile>& files);

// If the map in file 0 has the tasks of all files in storage order: the number of tasks before each
// file, and finally the total; else empty. `source` is that file, which has its table; read in pieces.
std::optional<std::vector<std::uint64_t>> tasks_before_files(base::ByteSource& source, const PhysicalFile& first,
                                                             const Bounds& bounds = {});

// For sets without a map. Throws BrokenRule(malformed) unless the ranks are 0, 1, ... once each, ignoring placeholders.
std::vector<Place> map_by_rank(const std::vector<PhysicalFile>& files);

// A set with permanently lost physical files. Each is replaced by one in memory that has its tasks without any
// data, so that the streams of the others can be read in the usual way. Local.
class MissingFiles {
 public:
  // not_found: no file of the set exists, or the tasks of the missing ones cannot be determined.
  MissingFiles(Open open_file, NameRule names);

  // The name of an existing file.
  const std::string& first() const noexcept { return first_; }
  bool is_missing(std::int32_t file) const { return missing_.contains(file); }
  // Global ranks of the tasks of a file.
  const std::vector<std::int64_t>& ranks(std::int32_t file) const { return ranks_[static_cast<std::size_t>(file)]; }
  std::size_t count() const noexcept { return missing_.size(); }
  // The file of that name, or its placeholder.
  std::unique_ptr<base::ByteSource> open(const std::string& name) const;

 private:
  std::unique_ptr<base::ByteSource> open_if_there(std::int32_t file) const;
  void look_for_files();
  static std::map<std::int32_t, std::vector<std::int64_t>> tasks_in_map(base::ByteSource& file, const Head& head);
  void find_tasks_by_rank();
  [[noreturn]] void throw_unknown(std::int32_t file) const;
  std::vector<std::byte> bytes_of(std::int32_t file) const;

  Open open_file_;
  NameRule names_;
  std::string first_;
  FixedHead head_;
  std::vector<std::vector<std::int64_t>> ranks_;  // of the tasks of each file
  std::map<std::int32_t, std::vector<std::byte>> missing_;
};

}  // namespace lq::format::sion
