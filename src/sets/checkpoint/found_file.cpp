// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/found_file.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "kernels/crc32.hpp"
#include "sets/checkpoint/set_marks.hpp"

namespace lq::sets {

namespace sion = format::sion;

namespace {

// What follows from the records of chunks.
[[noreturn]] void throw_repairable(const std::string& path, std::uint64_t offset, const std::string& what) {
  throw Error(Code::malformed,
              fmt::format("{}: {} (byte {}); restore the file from a copy, or repair it", path, what, offset),
              {.path = path, .offset = offset});
}

// Metadata block 2 with its map.
std::uint64_t table_bytes(const sion::PhysicalFile& physical, std::size_t set_tasks) {
  const bool has_map = physical.head.files > 1 && physical.head.file_number == 0;
  return sion::table_bytes(physical.head.tasks, static_cast<std::uint64_t>(physical.max_chunks)) +
         (has_map ? 4 + 8 * std::uint64_t{set_tasks} : 0);
}

std::vector<std::uint64_t> read_sizes(base::ByteSource& file, const sion::PhysicalFile& physical, std::uint64_t offset,
                                      std::uint32_t sum) {
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(physical.geometry.tasks()));
  const std::vector<std::byte> bytes = read_bytes(file, offset, 8 * sizes.size());
  if (bytes.size() < 8 * sizes.size() || kernels::crc32(0, bytes) != sum) {
    throw_repairable(file.path(), offset, "the sizes of the streams were changed after they were written");
  }
  constexpr std::uint64_t most_of_chunk = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = base::load_le<std::uint64_t>(bytes.data() + 8 * i);
    if (sizes[i] <= physical.table.count(static_cast<std::int32_t>(i)) * most_of_chunk) continue;
    throw_repairable(file.path(), offset + 8 * i,
                     fmt::format("a stream of {} bytes is more than its chunks can hold", sizes[i]));
  }
  return sizes;
}

std::vector<StreamLoss> read_losses(base::ByteSource& file, std::uint64_t offset, const TailRecord& tail) {
  // One for each task and one for the fields at most.
  const bool is_possible = tail.losses <= std::uint64_t{tail.tasks} + 1;
  const std::vector<std::byte> bytes = read_bytes(file, offset, is_possible ? loss_bytes * tail.losses : 0);
  const bool is_whole =
      is_possible && bytes.size() == loss_bytes * tail.losses && kernels::crc32(0, bytes) == tail.losses_sum;
  auto losses = is_whole ? decode_losses(bytes) : std::nullopt;
  if (!losses) throw_repairable(file.path(), offset, "the list of what a repair lost was changed after it was written");
  return std::move(*losses);
}

}  // namespace

void throw_damaged(const std::string& path, std::uint64_t offset, const std::string& what) {
  throw Error(Code::malformed, fmt::format("{}: {} (byte {}); restore the file from a copy", path, what, offset),
              {.path = path, .offset = offset});
}

std::vector<std::byte> read_bytes(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  buffer.resize(file.read_at(offset, buffer));
  return buffer;
}

std::optional<std::uint32_t> checksum_of(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(bytes, checksum_piece_bytes)));
  std::uint32_t sum = 0;
  while (bytes > 0) {
    const base::MutableBytes part =
        std::span(buffer).first(static_cast<std::size_t>(std::min(bytes, checksum_piece_bytes)));
    if (file.read_at(offset, part) < part.size()) return std::nullopt;
    sum = kernels::crc32(sum, part);
    offset += part.size();
    bytes -= part.size();
  }
  return sum;
}

TailFacts read_tail_record(base::ByteSource& file, const sion::PhysicalFile& physical, const SetRecord& set,
                           std::size_t set_tasks) {
  const std::uint64_t table = table_bytes(physical, set_tasks);
  const std::uint64_t offset = physical.tail_offset + table;
  const auto record = decode_tail_record(read_bytes(file, offset, record_bytes));
  if (!record || record->generation != set.generation || record->table_bytes != table) {
    throw_repairable(file.path(), offset, "the record after metadata block 2 was changed after it was written");
  }
  if (checksum_of(file, physical.tail_offset, table) != record->table) {
    throw_repairable(file.path(), physical.tail_offset, "metadata block 2 was changed after it was written");
  }
  TailFacts facts;
  facts.fields = record->fields;
  std::uint64_t next = offset + record_bytes;
  if (set.compression != Compression::none) {
    facts.sizes = read_sizes(file, physical, next, record->sizes);
    next += 8 * std::uint64_t{set.tasks};
  }
  if (record->losses > 0) facts.losses = read_losses(file, next, *record);
  return facts;
}

FoundFile read_file(base::ByteSource& file, sion::PhysicalFile physical, std::size_t set_tasks) {
  FoundFile found;
  found.physical = std::move(physical);
  std::optional<FoundRecord> record = find_set_record(file, found.physical);
  if (!record) return found;
  found.record = record->record;
  found.problem = std::move(record->problem);
  found.facts = read_tail_record(file, found.physical, *found.record, set_tasks);
  return found;
}

TaskEntry entry_of(const sion::PhysicalFile& file, sion::Place place, std::int64_t number, std::uint64_t bytes) {
  const std::span<const std::int64_t> used = file.table.used(place.task);
  return {place_of(file, place, number), bytes, {used.begin(), used.end()}};
}

StreamPlace place_of(const sion::PhysicalFile& file, sion::Place where, std::int64_t number) {
  return {file.geometry.places(where.task), static_cast<std::uint32_t>(where.file),
          static_cast<std::uint32_t>(where.task), number};
}

}  // namespace lq::sets
