// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Metadata block 2 of a physical file: the number of chunks of each task and the bytes in them, and in file 0 of a
// set the place of each task (formats/sion.md 5). On disk the table has a column for each task, even if it has fewer
// chunks; in memory it takes 8 bytes per task and 8 per existing chunk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"

namespace lq::format::sion {

// The place of a task of a set.
struct Place {
  std::int32_t file = 0;
  std::int32_t task = 0;  // local
  bool operator==(const Place&) const = default;
};

class ChunkTable {
 public:
  ChunkTable() = default;
  // `counts`: chunks per task, all with zero bytes; each at least 1.
  explicit ChunkTable(std::span<const std::uint64_t> counts);
  // `used_of` returns the filled bytes of a task's chunks.
  template <class Tasks, class UsedOf = std::identity>
  static ChunkTable of(const Tasks& tasks, const UsedOf& used_of = {}) {
    ChunkTable table;
    table.first_.reserve(tasks.size() + 1);
    for (const auto& task : tasks) {
      const auto& used = std::invoke(used_of, task);
      table.used_.insert(table.used_.end(), used.begin(), used.end());
      table.first_.push_back(table.used_.size());
    }
    return table;
  }

  std::int32_t tasks() const noexcept { return static_cast<std::int32_t>(first_.size()) - 1; }
  std::uint64_t count(std::int32_t task) const noexcept {
    return first_[static_cast<std::size_t>(task) + 1] - first_[static_cast<std::size_t>(task)];
  }
  std::uint64_t max_count() const noexcept;
  std::uint64_t chunks() const noexcept { return used_.size(); }  // of all tasks
  // Filled bytes of each chunk of a task.
  std::span<const std::int64_t> used(std::int32_t task) const noexcept {
    return std::span(used_).subspan(first_[static_cast<std::size_t>(task)], count(task));
  }
  std::span<std::int64_t> used(std::int32_t task) noexcept {
    return std::span(used_).subspan(first_[static_cast<std::size_t>(task)], count(task));
  }
  // Filled bytes of a logical file.
  std::uint64_t bytes(std::int32_t task) const noexcept;

 private:
  friend class ChunkTableBuilder;
  std::vector<std::uint64_t> first_ = {0};  // index into used_ of chunk 0 of each task, and after the last
  std::vector<std::int64_t> used_;
};

// Builds a table from the numbers of tasks, one task at a time: the number of chunks, then the bytes in
// each.
class ChunkTableBuilder {
 public:
  void add(std::int64_t number, std::size_t tasks) {
    if (table_.used_.capacity() == 0) {
      table_.first_.reserve(tasks + 1);
      table_.used_.reserve(tasks);
    }
    if (table_.used_.size() < table_.first_.back()) return table_.used_.push_back(number);
    table_.first_.push_back(table_.first_.back() + static_cast<std::uint64_t>(number));
    is_whole_ = is_whole_ && number > 0;
  }
  // True if every task had a chunk.
  bool is_whole() const noexcept { return is_whole_; }
  ChunkTable take() { return std::move(table_); }

 private:
  ChunkTable table_;
  bool is_whole_ = true;
};

struct Tail {
  ChunkTable table;
  // For each task of the set; empty: no map follows the table. Serial writers of a single file end it with an empty
  // map.
  std::optional<std::vector<Place>> map;
};

// On disk.
constexpr std::uint64_t table_bytes(std::int32_t tasks, std::uint64_t max_chunks) noexcept {
  return 8 * static_cast<std::uint64_t>(tasks) * (1 + max_chunks);
}

// Throws BrokenRule: truncated (also an unclosed file), malformed, too_large past the bounds, and errors of reading.
// The map is read in file 0 of a set of several files only.
Tail read_tail(base::ByteSource& file, const Head& head, const Geometry& geometry, const Bounds& bounds = {});
// The same without the map.
ChunkTable read_table(base::ByteSource& file, const Head& head, const Geometry& geometry, const Bounds& bounds = {});

// The bytes, in pieces of at most 4 MiB. `unused`: filler of columns that end early; mapped writers write -1.
void encode(const Tail& tail, ByteOrder order, const std::function<void(base::Bytes)>& sink, std::int64_t unused = 0);

}  // namespace lq::format::sion
