// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile as a whole: all its physical files, and where each task of the set lies. Holds 32 bytes per task and 8
// per chunk, and no file open.
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

// Local. How physical file `number` of a set is called; programs may have a rule of their own.
using NameRule = std::function<std::string(std::int32_t number)>;
// The same for sets of any name, as copies have.
using SetRule = std::function<std::string(const std::string& name, std::int32_t number)>;

// NAME, NAME.000001, NAME.000002, ...
std::string file_name(const std::string& name, std::int32_t number);
// NAME_BUDDY_00, ...: the first file of a copy.
std::string buddy_name(const std::string& name, std::int32_t level);
// Of a copy of set `name`, physical file `number`; rule empty: as usual.
std::string copy_name(const std::string& name, std::int32_t level, std::int32_t number, const SetRule& rule);

// What a name says of itself: "x.sion.000012" is number 12 of "x.sion"; any other name is number 0 of itself.
struct SetName {
  std::string name;
  std::int32_t number = 0;
};
SetName split_name(std::string_view path);

// Opens a file for reading; Error(not_found) where there is none.
using Open = std::function<std::unique_ptr<base::ByteSource>(const std::string& path)>;

struct SetOptions {
  Bounds bounds = {};
  NameRule names = {};             // of the set's files; empty: as writers name them
  bool tolerates_damage = false;   // files that were not closed, or whose metadata block 2 is lost, get no table
  bool drops_tables = false;       // ... nor do those whose metadata block 2 is damaged
  bool tolerates_missing = false;  // files that are not there get no table, where it can be told which tasks they had
  std::int32_t files = 0;          // how many there are, whatever they say; 0: as they say
};

struct PhysicalFile {
  std::string path;
  std::uint64_t bytes = 0;
  FixedHead head;
  std::int32_t max_chunks = 0;
  std::uint64_t tail_offset = 0;    // 0: not closed
  std::vector<std::int64_t> ranks;  // of each local task
  Geometry geometry;
  ChunkTable table;               // of no task where it is lost
  std::optional<Finding> damage;  // why it is
  bool is_missing = false;        // it is not there; its head is that of another, except for tasks and ranks

  bool has_table() const noexcept { return table.tasks() == geometry.tasks(); }
};

// Whether it is about a file of a set that is not there, which takes its own streams only.
bool is_of_missing_file(const Finding& finding) noexcept;

// Local. One file of a set without the others, and without the map that file 0 has. Throws as Set::open().
PhysicalFile read_file(base::ByteSource& file, const SetOptions& options = {});
// Throws BrokenRule(malformed): a file is not that with this number of the set whose file 0 is `first`. Of these two
// only path and head count.
void require_same_set(const PhysicalFile& first, const PhysicalFile& other, std::int32_t number);

class Set {
 public:
  // Local. The whole set that the file belongs to: `path` may be any of its files. Throws what reading throws and
  // BrokenRule: which file is missing, swapped, damaged or of another generation.
  static Set open(const std::string& path, const Open& open, const SetOptions& options = {});
  // Local. The same of a file that is open already.
  static Set open(base::ByteSource& file, const Open& open, const SetOptions& options = {});

  const std::vector<PhysicalFile>& files() const noexcept { return files_; }
  // The number of the file that the set was asked for with.
  std::int32_t given_file() const noexcept { return given_; }
  bool is_whole() const noexcept;  // every file has its table
  // A table for a file whose own is lost.
  void set_table(std::int32_t file, ChunkTable table) {
    files_[static_cast<std::size_t>(file)].table = std::move(table);
  }
  // Takes a table away that was found to be damaged.
  void drop_table(std::int32_t file, Finding damage);

  // Tasks of the set, in the order of their global ranks where there are several files, else as stored.
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
  std::vector<Place> map_;  // empty: one file, whose tasks come in the order of storage
  std::int32_t given_ = 0;
};

// Which task of a set lies where: the map of file 0 held against the other files, or made from the global ranks that
// they record (formats/sion.md 5.2).

// Throws BrokenRule(malformed) unless each entry names a task that is there, whose rank is the entry's, and no task is
// named twice. Tasks that no entry names are placeholders of a buddy copy.
void require_one_to_one(const std::vector<Place>& map, const std::vector<PhysicalFile>& files);

// Where the map in file 0 has the tasks of all files in the order of storage: how many tasks there are before each
// file, and at the end how many in all; else nothing. `source` is that file, which has its table; read in pieces.
std::optional<std::vector<std::uint64_t>> tasks_before_files(base::ByteSource& source, const PhysicalFile& first,
                                                             const Bounds& bounds = {});

// For sets without a map. Throws BrokenRule(malformed) unless the ranks are 0, 1, ... once each, placeholders aside.
std::vector<Place> map_by_rank(const std::vector<PhysicalFile>& files);

// A set of which physical files are lost for good. For each of them stands one in memory that has its tasks and no byte
// of them, so that the streams of the others are had in the usual way. Local.
class MissingFiles {
 public:
  // not_found: of no file of the set anything is there, or which tasks the missing ones had cannot be told.
  MissingFiles(Open open_file, NameRule names);

  // Of a file that is there.
  const std::string& first() const noexcept { return first_; }
  bool is_missing(std::int32_t file) const { return missing_.contains(file); }
  // Global ranks of the tasks of a file.
  const std::vector<std::int64_t>& ranks(std::int32_t file) const { return ranks_[static_cast<std::size_t>(file)]; }
  std::size_t count() const noexcept { return missing_.size(); }
  // The file of that name, or what stands for it.
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
