// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/tail.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "format/record_texts.hpp"

namespace lq::format::sion {
namespace {

class TailReader {
 public:
  TailReader(base::ByteSource& file, const Head& head, const Geometry& geometry, const Bounds& bounds)
      : window_(file),
        path_(file.path()),
        head_(head),
        geometry_(geometry),
        bounds_(bounds),
        offset_(static_cast<std::uint64_t>(head.tail_offset)),
        blocks_(static_cast<std::uint64_t>(head.max_chunks)) {}

  ChunkTable read_table() {
    check_offset();
    ChunkTable table(read_counts());
    read_used(table);
    return table;
  }
  Tail read() {
    Tail tail;
    tail.table = read_table();
    const bool has_map = head_.files > 1 && head_.file_number == 0;
    if (has_map) tail.map = read_map();
    return tail;
  }

 private:
  void check_offset() const;
  std::vector<std::uint64_t> read_counts();
  void read_used(ChunkTable& table);
  std::vector<Place> read_map();
  const std::byte* view(std::uint64_t offset, std::size_t length);
  [[noreturn]] void ends_early(std::uint64_t end) const;
  std::uint64_t row_offset(std::uint64_t chunk) const noexcept { return offset_ + table_bytes(head_.tasks, chunk); }

  ReadAhead window_;
  const std::string& path_;
  const Head& head_;
  const Geometry& geometry_;
  const Bounds& bounds_;
  std::uint64_t offset_;  // of metadata block 2
  std::uint64_t blocks_;
};

void TailReader::ends_early(std::uint64_t end) const {
  throw BrokenRule(Code::truncated, "sion-tail-truncated", path_, window_.size(),
                   fmt::format("metadata block 2 at byte {} reaches to byte {}, but the file ends at {}; copy it again "
                               "from its source",
                               offset_, end, window_.size()),
                   fmt::format("{} bytes", end), fmt::format("{} bytes", window_.size()));
}

const std::byte* TailReader::view(std::uint64_t offset, std::size_t length) {
  const base::Bytes bytes = window_.view(offset, length);
  if (bytes.size() < length) ends_early(offset + length);
  return bytes.data();
}

void TailReader::check_offset() const {
  const std::uint64_t place = closing_offset(head_.tasks, head_.format_version);
  if (!head_.is_closed()) {
    throw BrokenRule(Code::truncated, "sion-unclosed", path_, place,
                     "the file was not closed: its writer was interrupted, and how far the chunks are filled is not "
                     "recorded; \"lq repair\" recovers what can be inferred",
                     "an offset of metadata block 2", "0");
  }
  std::uint64_t expected = 0;
  try {
    expected = geometry_.tail_offset(blocks_);
  } catch (const Error&) {
    throw BrokenRule(Code::malformed, "sion-max-chunks", path_, place,
                     fmt::format("{} blocks of {} bytes end beyond byte 2^63 - 1; the header is damaged: copy the file "
                                 "again from its source",
                                 blocks_, geometry_.skip()),
                     "a sum below 2^63", fmt::format("{} blocks", blocks_));
  }
  if (blocks_ < 1 || expected != offset_) {
    throw BrokenRule(
        Code::malformed, "sion-tail-offset", path_, place + 4,
        fmt::format("metadata block 2 is said to begin at byte {}, but {} blocks of chunks end at byte {}; "
                    "the header is damaged, or belongs to another file: copy the file again from its "
                    "source",
                    offset_, blocks_, expected),
        fmt::format("{}", expected), fmt::format("{}", offset_));
  }
  // Divided instead of multiplied: the table may claim to have 2^63 entries.
  const std::uint64_t left = window_.size() > offset_ ? window_.size() - offset_ : 0;
  if (left / 8 / static_cast<std::uint64_t>(head_.tasks) < 1 + blocks_) {
    throw BrokenRule(Code::truncated, "sion-tail-truncated", path_, window_.size(),
                     fmt::format("metadata block 2 at byte {} has a table of {} times {} numbers, but the file ends at "
                                 "byte {}; copy it again from its source",
                                 offset_, 1 + blocks_, head_.tasks, window_.size()),
                     {}, fmt::format("{} bytes", window_.size()));
  }
}

std::vector<std::uint64_t> TailReader::read_counts() {
  const auto tasks = static_cast<std::size_t>(head_.tasks);
  std::vector<std::uint64_t> counts(tasks);
  std::uint64_t all = 0, most = 0;
  for (std::size_t task = 0; task < tasks; ++task) {
    const std::uint64_t at = offset_ + 8 * task;
    const std::int64_t count = load_int64(view(at, 8), head_.metadata_order);
    if (count < 1 || static_cast<std::uint64_t>(count) > blocks_) {
      throw BrokenRule(Code::malformed, "sion-chunk-count", path_, at,
                       fmt::format("task {} is said to have {} chunks, but it must have 1 to {}", task, count, blocks_),
                       fmt::format("1 to {}", blocks_), fmt::format("{}", count));
    }
    counts[task] = static_cast<std::uint64_t>(count);
    most = std::max(most, counts[task]);
    all += counts[task];
    if (all > bounds_.chunks) {
      throw BrokenRule(Code::too_large, "sion-chunk-count", path_, at,
                       fmt::format("more than {} chunks; raise the limit to continue", bounds_.chunks),
                       fmt::format("at most {} chunks", bounds_.chunks));
    }
  }
  return counts;
}

// Row by row as in the file; of each row only the columns that reach it, so that one task with many chunks among
// a million with one does not cost a million reads per row.
void TailReader::read_used(ChunkTable& table) {
  std::vector<std::int32_t> reached(static_cast<std::size_t>(head_.tasks));
  std::iota(reached.begin(), reached.end(), 0);
  for (std::uint64_t chunk = 0; !reached.empty(); ++chunk) {
    for (const std::int32_t task : reached) {
      const std::uint64_t at = row_offset(chunk) + 8 * static_cast<std::uint64_t>(task);
      const std::int64_t used = load_int64(view(at, 8), head_.metadata_order);
      const std::uint64_t width = geometry_.width(task);
      if (used < 0 || static_cast<std::uint64_t>(used) > width) {
        throw BrokenRule(Code::malformed, "sion-chunk-used", path_, at,
                         fmt::format("chunk {} of task {} is said to hold {} bytes, but it is {} bytes wide", chunk,
                                     task, used, width),
                         fmt::format("0 to {}", width), fmt::format("{}", used));
      }
      table.used(task)[chunk] = used;
    }
    std::erase_if(reached, [&](std::int32_t task) { return table.count(task) <= chunk + 1; });
  }
}

std::vector<Place> TailReader::read_map() {
  const std::uint64_t at = row_offset(blocks_);
  const std::int32_t size = load_int32(view(at, 4), head_.metadata_order);
  if (size < 1) {
    throw BrokenRule(Code::malformed, "sion-map-size", path_, at,
                     fmt::format("the map of tasks has {} entries, but the set has {} files", size, head_.files),
                     "at least 1", fmt::format("{}", size));
  }
  const auto entries = static_cast<std::uint64_t>(size);
  if (entries > (window_.size() - at - 4) / 8) ends_early(at + 4 + 8 * entries);
  if (entries > bounds_.tasks) {
    throw BrokenRule(Code::too_large, "sion-map-size", path_, at,
                     fmt::format("{} tasks exceed the limit of {}; raise the limit", size, bounds_.tasks),
                     fmt::format("at most {} tasks", bounds_.tasks), fmt::format("{}", size));
  }
  std::vector<Place> map(entries);
  for (std::uint64_t task = 0; task < entries; ++task) {
    const std::byte* p = view(at + 4 + 8 * task, 8);
    map[task] = {load_int32(p, head_.metadata_order), load_int32(p + 4, head_.metadata_order)};
  }
  return map;
}

// Collects numbers and passes them on in pieces.
class Pieces {
 public:
  Pieces(ByteOrder order, std::uint64_t bytes, const std::function<void(base::Bytes)>& sink)
      : order_(order), sink_(sink), bytes_(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 4 << 20))) {}
  void add_int64(std::int64_t number) { store_int64(room(8), number, order_); }
  void add_int32(std::int32_t number) { store_int32(room(4), number, order_); }
  void flush() {
    if (held_ > 0) sink_(base::Bytes(bytes_).first(held_));
    held_ = 0;
  }

 private:
  std::byte* room(std::size_t bytes) {
    if (held_ + bytes > bytes_.size()) flush();
    held_ += bytes;
    return bytes_.data() + held_ - bytes;
  }

  ByteOrder order_;
  const std::function<void(base::Bytes)>& sink_;
  std::vector<std::byte> bytes_;
  std::size_t held_ = 0;
};

}  // namespace

ChunkTable::ChunkTable(std::span<const std::uint64_t> counts) {
  first_.reserve(counts.size() + 1);
  for (const std::uint64_t count : counts) first_.push_back(first_.back() + count);
  used_.resize(first_.back());
}

std::uint64_t ChunkTable::max_count() const noexcept {
  std::uint64_t most = 0;
  for (std::int32_t task = 0; task < tasks(); ++task) most = std::max(most, count(task));
  return most;
}

std::uint64_t ChunkTable::bytes(std::int32_t task) const noexcept {
  std::uint64_t sum = 0;
  for (const std::int64_t bytes : used(task)) sum += static_cast<std::uint64_t>(bytes);
  return sum;
}

Tail read_tail(base::ByteSource& file, const Head& head, const Geometry& geometry, const Bounds& bounds) {
  return TailReader(file, head, geometry, bounds).read();
}

ChunkTable read_table(base::ByteSource& file, const Head& head, const Geometry& geometry, const Bounds& bounds) {
  return TailReader(file, head, geometry, bounds).read_table();
}

void encode(const Tail& tail, ByteOrder order, const std::function<void(base::Bytes)>& sink, std::int64_t unused) {
  const ChunkTable& table = tail.table;
  const std::uint64_t rows = table.max_count();
  const std::uint64_t map_bytes = tail.map ? 4 + 8 * std::uint64_t{tail.map->size()} : 0;
  Pieces pieces(order, table_bytes(table.tasks(), rows) + map_bytes, sink);
  for (std::int32_t task = 0; task < table.tasks(); ++task) {
    pieces.add_int64(static_cast<std::int64_t>(table.count(task)));
  }
  for (std::uint64_t chunk = 0; chunk < rows; ++chunk) {
    for (std::int32_t task = 0; task < table.tasks(); ++task) {
      pieces.add_int64(chunk < table.count(task) ? table.used(task)[chunk] : unused);
    }
  }
  if (tail.map) {
    pieces.add_int32(static_cast<std::int32_t>(tail.map->size()));
    for (const Place& place : *tail.map) {
      pieces.add_int32(place.file);
      pieces.add_int32(place.task);
    }
  }
  pieces.flush();
}

}  // namespace lq::format::sion
