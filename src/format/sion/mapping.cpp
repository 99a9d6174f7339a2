// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which task of a set lies where.
#include "format/sion/set.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "format/read_ahead.hpp"
#include "format/sion/head.hpp"

namespace lq::format::sion {
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
    // Each entry names the task of its own rank, so that two entries cannot name the same task.
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
