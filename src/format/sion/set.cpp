// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/set.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/path.hpp"
#include "base/text.hpp"
#include "format/record_texts.hpp"

namespace lq::format::sion {

std::string file_name(const std::string& name, std::int32_t number) {
  return number == 0 ? name : fmt::format("{}.{:06d}", name, number);
}

std::string buddy_name(const std::string& name, std::int32_t level) {
  return fmt::format("{}_BUDDY_{:02d}", name, level);
}

std::string copy_name(const std::string& name, std::int32_t level, std::int32_t number, const SetRule& rule) {
  const std::string set = buddy_name(name, level);
  return rule ? rule(set, number) : file_name(set, number);
}

SetName split_name(std::string_view path) {
  constexpr std::size_t fewest_digits = 6;
  const std::size_t dot = path.rfind('.');
  const SetName whole{std::string(path), 0};
  if (dot == std::string_view::npos || dot == 0 || path[dot - 1] == '/') return whole;
  const std::string_view digits = path.substr(dot + 1);
  const bool plain = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (digits.size() < fewest_digits || !plain || (digits.size() > fewest_digits && digits[0] == '0')) return whole;
  const auto number = base::parse_u64(digits);
  if (!number || *number == 0 || *number > std::numeric_limits<std::int32_t>::max()) return whole;
  return {std::string(path.substr(0, dot)), static_cast<std::int32_t>(*number)};
}

namespace {

// A file whose end is missing or damaged has a usable header.
bool is_tolerated(const BrokenRule& broken, const SetOptions& options) noexcept {
  return (options.tolerates_damage && broken.code() == Code::truncated) ||
         (options.drops_tables && broken.code() == Code::malformed);
}

// `map`: receives the map of the set; nullptr: not needed.
PhysicalFile load(base::ByteSource& source, const SetOptions& options, std::vector<Place>* map) {
  Head head = read_head(source, options.bounds);
  if (options.files > 0) head.files = options.files;
  PhysicalFile file;
  file.path = source.path();
  file.bytes = source.size();
  file.geometry = Geometry(head, source.path());
  file.max_chunks = head.max_chunks;
  file.tail_offset = static_cast<std::uint64_t>(head.tail_offset);
  try {
    if (map == nullptr) {
      file.table = read_table(source, head, file.geometry, options.bounds);
    } else {
      Tail tail = read_tail(source, head, file.geometry, options.bounds);
      file.table = std::move(tail.table);
      if (tail.map) *map = std::move(*tail.map);
    }
  } catch (const BrokenRule& broken) {
    if (!is_tolerated(broken, options)) throw;
    file.damage = broken.finding();
  }
  file.ranks = std::move(head.ranks);
  file.head = std::move(static_cast<FixedHead&>(head));
  return file;
}

NameRule rule_of(const std::string& path, const FixedHead& head, const SetOptions& options) {
  if (options.names) return options.names;
  // Files of a set that is being written have temporary names with the same number (formats/sion-records.md 5).
  const auto temporary = base::parse_temporary_name(path);
  const std::string bare = temporary ? temporary->name : path;
  const auto rule = [&temporary](const std::string& name) {
    return [name, temporary](std::int32_t k) {
      const std::string last = file_name(name, k);
      return temporary ? temporary->of(last) : last;
    };
  };
  if (head.file_number == 0 || head.files == 1) return rule(bare);
  const SetName split = split_name(bare);
  if (split.number != head.file_number) {
    throw BrokenRule(Code::malformed, "sion-set-name", path, 32,
                     fmt::format("this is file {} of a set of {}, whose name ends in \"{}\"; rename it, or give the "
                                 "set's first file",
                                 head.file_number, head.files, file_name("", head.file_number)),
                     file_name("NAME", head.file_number), path);
  }
  return rule(split.name);
}

constexpr const char* missing_rule = "sion-set-missing";

// What is missing with a file: a few ranks, which are the numbers of tasks. Only file 0 knows their total.
std::string streams_of(const PhysicalFile& file, std::int32_t tasks) {
  constexpr std::size_t few = 8;
  const auto begin = file.ranks.begin(), end = begin + static_cast<std::ptrdiff_t>(std::min(few, file.ranks.size()));
  const std::size_t more = file.ranks.size() - std::min(few, file.ranks.size());
  return fmt::format(", with the stream{} of task{} {}{}", file.ranks.size() == 1 ? "" : "s",
                     file.ranks.size() == 1 ? "" : "s", fmt::join(begin, end, ", "),
                     (more > 0 ? fmt::format(" and {} more", more) : "") +
                         (file.head.file_number == 0 ? fmt::format(", and any after task {}", tasks - 1) : ""));
}

// `streams`: what is missing with the file.
BrokenRule missing_file(const std::string& path, std::int32_t number, const std::string& given, std::int32_t files,
                        const std::string& streams = {}) {
  // In an unfinished set another file may have been renamed already.
  const bool unfinished = base::parse_temporary_name(path).has_value();
  return {unfinished ? Code::truncated : Code::not_found,
          missing_rule,
          path,
          std::nullopt,
          fmt::format("\"{}\" is missing, file {} of the set of {} that \"{}\" belongs to{}; {}", path, number, files,
                      given, streams,
                      unfinished ? "restore it next to the others, then run \"lq repair\""
                                 : "copy all files of a set together"),
          fmt::format("{} files", files)};
}

std::unique_ptr<base::ByteSource> open_member(const Open& open, const std::string& path, std::int32_t number,
                                              const PhysicalFile& given) {
  try {
    return open(path);
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    throw missing_file(path, number, given.path, given.head.files);
  }
}

}  // namespace

bool is_of_missing_file(const Finding& finding) noexcept {
  return finding.rule == missing_rule && finding.code == Code::not_found;
}

PhysicalFile read_file(base::ByteSource& file, const SetOptions& options) { return load(file, options, nullptr); }

// formats/sion.md 8.2: values that all files of a set share.
void require_same_set(const PhysicalFile& first, const PhysicalFile& other, std::int32_t number) {
  const FixedHead& a = first.head;
  const FixedHead& b = other.head;
  if (b.file_number != number) {
    throw BrokenRule(
        Code::malformed, "sion-set-order", other.path, 32,
        fmt::format(
            "this is file {} of its set, but has the name of file {}; two files of the set were swapped or renamed",
            b.file_number, number),
        fmt::format("{}", number), fmt::format("{}", b.file_number));
  }
  const auto differ = [&](std::uint64_t offset, std::string_view what, const std::string& here,
                          const std::string& there, std::string_view or_else = {}) {
    throw BrokenRule(
        Code::malformed, "sion-set-generation", other.path, offset,
        fmt::format("the {} is {}, but {} in \"{}\": the two were not written together; find the file that "
                    "belongs to the others{}",
                    what, here, there, first.path, or_else),
        there, here);
  };
  const auto number_of = [](std::int64_t value) { return fmt::format("{}", value); };
  if (a.files != b.files) {
    differ(28, "number of physical files", number_of(b.files), number_of(a.files),
           "; or one of the two headers is damaged: \"lq repair\" determines which, and makes an intact set");
  }
  if (a.metadata_order != b.metadata_order) differ(4, "byte order", "another", "one");
  if (a.format_version != b.format_version) {
    differ(16, "format version", number_of(b.format_version), number_of(a.format_version));
  }
  if (a.block_size != b.block_size) differ(20, "block size", number_of(b.block_size), number_of(a.block_size));
  if (a.flag1 != b.flag1) differ(36, "first flag", number_of(b.flag1), number_of(a.flag1));
  if (a.prefix != b.prefix) differ(52, "name at creation", base::printable(b.prefix), base::printable(a.prefix));
}

Set Set::open(const std::string& path, const Open& open, const SetOptions& options) {
  const std::unique_ptr<base::ByteSource> file = open(path);
  return Set::open(*file, open, options);
}

Set Set::open(base::ByteSource& source, const Open& open, const SetOptions& options) {
  try {
    return open_whole(source, open, options);
  } catch (const BrokenRule& broken) {
    if (!options.tolerates_missing || !is_of_missing_file(broken.finding())) throw;
    try {
      return open_rest(source, open, options);
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
    }
    throw;  // the tasks of the missing file are unknown
  }
}

// Placeholders of missing files have no table.
Set Set::open_rest(base::ByteSource& source, const Open& open, const SetOptions& options) {
  const Head head = read_head(source, options.bounds);
  SetOptions how = options;
  how.names = rule_of(source.path(), head, options);
  const MissingFiles missing_files(open, how.names);
  Set set = open_whole(
      *open(missing_files.first()), [&](const std::string& name) { return missing_files.open(name); }, how);
  set.given_ = head.file_number;
  for (std::size_t number = 0; number < set.files_.size(); ++number) {
    const auto file = static_cast<std::int32_t>(number);
    if (!missing_files.is_missing(file)) continue;
    PhysicalFile& missing = set.files_[number];
    set.drop_table(
        file, missing_file(missing.path, file, source.path(), head.files, streams_of(missing, set.tasks())).finding());
    missing.is_missing = true;
    missing.bytes = 0;
  }
  return set;
}

Set Set::open_whole(base::ByteSource& source, const Open& open, const SetOptions& options) {
  Set set;
  std::vector<Place> map;  // in file 0
  PhysicalFile given = load(source, options, &map);
  const std::int32_t files = given.head.files;
  if (files == 1) {
    set.files_.push_back(std::move(given));
    return set;
  }
  set.given_ = given.head.file_number;
  const NameRule names = rule_of(source.path(), given.head, options);
  std::uint64_t tasks = 0;
  for (std::int32_t number = 0; number < files; ++number) {
    PhysicalFile loaded;
    if (number == set.given_) {
      loaded = std::move(given);
    } else {
      const PhysicalFile& known = number > set.given_ ? set.files_[static_cast<std::size_t>(set.given_)] : given;
      loaded = load(*open_member(open, names(number), number, known), options, number == 0 ? &map : nullptr);
    }
    set.files_.push_back(std::move(loaded));
    require_same_set(set.files_.front(), set.files_.back(), number);
    tasks += static_cast<std::uint64_t>(set.files_.back().geometry.tasks());
    if (tasks > options.bounds.tasks) {
      throw BrokenRule(Code::too_large, "sion-tasks", set.files_.back().path, 24,
                       fmt::format("the set exceeds the limit of {} tasks; raise the limit", options.bounds.tasks),
                       fmt::format("at most {} tasks", options.bounds.tasks));
    }
  }
  if (set.files_.front().has_table()) {
    try {
      require_one_to_one(map, set.files_);
      set.map_ = std::move(map);
      return set;
    } catch (const BrokenRule& broken) {
      if (!is_tolerated(broken, options)) throw;
      set.drop_table(0, broken.finding());
    }
  }
  set.map_ = map_by_rank(set.files_);
  return set;
}

void Set::drop_table(std::int32_t file, Finding damage) {
  PhysicalFile& physical = files_[static_cast<std::size_t>(file)];
  physical.table = ChunkTable();
  physical.damage = std::move(damage);
}

bool Set::is_whole() const noexcept {
  return std::ranges::all_of(files_, [](const PhysicalFile& file) { return file.has_table(); });
}

std::int32_t Set::tasks() const noexcept {
  return map_.empty() ? files_.front().geometry.tasks() : static_cast<std::int32_t>(map_.size());
}

std::vector<Place> Set::places() const {
  std::vector<Place> places;
  for (std::int32_t task = 0; task < tasks(); ++task) places.push_back(place(task));
  return places;
}

// The place of each task of a set.

namespace {

constexpr Place nowhere{-1, -1};

std::uint64_t map_offset(const PhysicalFile& first) {
  return first.tail_offset + table_bytes(first.geometry.tasks(), static_cast<std::uint64_t>(first.max_chunks));
}

class MapCheck {
 public:
  explicit MapCheck(const std::vector<PhysicalFile>& files) : files_(files) {}

  void require(const std::vector<Place>& map) const {
    std::uint64_t ranked = 0;
    for (const PhysicalFile& file : files_) {
      ranked += static_cast<std::uint64_t>(std::ranges::count_if(file.ranks, [](std::int64_t r) { return r >= 0; }));
    }
    if (map.size() != ranked) {
      fail(0, fmt::format("the map of tasks has {} entries, but the {} files of the set hold {} tasks", map.size(),
                          files_.size(), ranked));
    }
    // Each entry names the task of its own rank, so two entries cannot name the same task.
    for (std::size_t task = 0; task < map.size(); ++task) require(task, map[task]);
  }

 private:
  void require(std::size_t task, Place place) const {
    const bool in_set = place.file >= 0 && static_cast<std::size_t>(place.file) < files_.size();
    const bool in_file = in_set && place.task >= 0 && place.task < file(place).geometry.tasks();
    if (!in_file) {
      fail(task, fmt::format("the map says that task {} is task {} of file {}, which does not exist", task, place.task,
                             place.file));
    }
    const std::int64_t rank = file(place).ranks[static_cast<std::size_t>(place.task)];
    if (rank == static_cast<std::int64_t>(task)) return;
    fail(task, fmt::format("the map says that task {} is task {} of file {}, but that is of rank {}", task, place.task,
                           place.file, rank));
  }

  const PhysicalFile& file(Place place) const { return files_[static_cast<std::size_t>(place.file)]; }

  [[noreturn]] void fail(std::size_t task, const std::string& what) const {
    const PhysicalFile& first = files_.front();
    throw BrokenRule(Code::malformed, "sion-map", first.path, map_offset(first) + 4 + 8 * task,
                     what + "; the file is damaged, or files of the set were replaced by those of another set");
  }

  const std::vector<PhysicalFile>& files_;
};

}  // namespace

void require_one_to_one(const std::vector<Place>& map, const std::vector<PhysicalFile>& files) {
  MapCheck(files).require(map);
}

std::optional<std::vector<std::uint64_t>> tasks_before_files(base::ByteSource& source, const PhysicalFile& first,
                                                             const Bounds& bounds) {
  ReadAhead window(source);
  const ByteOrder order = first.head.metadata_order;
  const base::Bytes size = window.view(map_offset(first), 4);
  if (size.size() < 4) return std::nullopt;
  const std::int32_t tasks = load_int32(size.data(), order);
  if (tasks < 1 || static_cast<std::uint64_t>(tasks) > bounds.tasks) return std::nullopt;
  std::vector<std::uint64_t> before;
  for (std::int32_t task = 0; task < tasks; ++task) {
    const base::Bytes bytes = window.view(map_offset(first) + 4 + 8 * static_cast<std::uint64_t>(task), 8);
    if (bytes.size() < 8) return std::nullopt;
    const Place place{load_int32(bytes.data(), order), load_int32(bytes.data() + 4, order)};
    const auto files = static_cast<std::int32_t>(before.size());
    if (place == Place{files, 0}) {
      before.push_back(static_cast<std::uint64_t>(task));
    } else if (files == 0 || place != Place{files - 1, task - static_cast<std::int32_t>(before.back())}) {
      return std::nullopt;
    }
  }
  if (before.size() != static_cast<std::size_t>(first.head.files)) return std::nullopt;
  before.push_back(static_cast<std::uint64_t>(tasks));
  return before;
}

std::vector<Place> map_by_rank(const std::vector<PhysicalFile>& files) {
  std::size_t ranked = 0;
  for (const PhysicalFile& file : files) {
    ranked += static_cast<std::size_t>(std::ranges::count_if(file.ranks, [](std::int64_t rank) { return rank >= 0; }));
  }
  std::vector<Place> map(ranked, nowhere);
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (std::size_t task = 0; task < files[f].ranks.size(); ++task) {
      const std::int64_t rank = files[f].ranks[task];
      if (rank < 0) continue;
      const bool in_range = static_cast<std::uint64_t>(rank) < ranked;
      if (!in_range || map[static_cast<std::size_t>(rank)] != nowhere) {
        throw BrokenRule(Code::malformed, "sion-ranks", files[f].path,
                         ranks_offset(files[f].head.format_version) + 8 * task,
                         fmt::format("the set has no map of tasks, and the global ranks of its files are not 0 to {} "
                                     "once each: rank {} is {}",
                                     ranked - 1, rank, in_range ? "there twice" : "out of range"),
                         {}, fmt::format("{}", rank));
      }
      map[static_cast<std::size_t>(rank)] = {static_cast<std::int32_t>(f), static_cast<std::int32_t>(task)};
    }
  }
  return map;
}

}  // namespace lq::format::sion
