// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/found_set.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/closing.hpp"

namespace lq::sets {
namespace {

namespace sion = format::sion;

// How many tasks of a file without other marks are searched for records of chunks.
constexpr std::int32_t most_tasks_tried = 256;

// Data stored a second time next to the set record.
class Marks {
 public:
  Marks(base::ByteSource& file, const sion::PhysicalFile& physical, bool is_marked)
      : file_(file), physical_(physical), is_marked_(is_marked) {
    read_tail();
    read_chunks();
  }

  bool are_there() const noexcept { return is_marked_ || chunk_; }
  std::optional<SetRecord> set_record();

 private:
  void read_tail();
  void read_chunks();
  bool is_filled(std::int32_t task) const { return !physical_.has_table() || physical_.table.used(task)[0] > 0; }
  std::optional<ChunkRecord> first_chunk_record(std::int32_t task);
  bool has_sizes();

  base::ByteSource& file_;
  const sion::PhysicalFile& physical_;
  bool is_marked_;
  std::uint64_t tail_offset_ = 0;
  bool has_tail_ = false;
  TailRecord tail_;
  std::optional<ChunkRecord> chunk_;
};

std::uint32_t number_of(const sion::PhysicalFile& physical) {
  return physical.head.files == 1 ? 0 : static_cast<std::uint32_t>(physical.head.file_number);
}

void Marks::read_tail() {
  if (!physical_.has_table()) return;
  tail_offset_ = tail_record_offset(file_, physical_);
  const std::vector<std::byte> bytes = read_bytes(file_, tail_offset_, record_bytes);
  is_marked_ = is_marked_ || looks_like_tail_record(bytes);
  if (const auto record = decode_tail_record(bytes)) {
    has_tail_ = true;
    tail_ = *record;
  }
}

void Marks::read_chunks() {
  std::int32_t tried = 0;
  for (std::int32_t task = 0; task < physical_.geometry.tasks() && !chunk_; ++task) {
    if (!is_filled(task)) continue;
    if (!is_marked_ && ++tried > most_tasks_tried) return;
    chunk_ = first_chunk_record(task);
  }
}

std::optional<ChunkRecord> Marks::first_chunk_record(std::int32_t task) {
  const StreamPlace place = place_of(physical_, {static_cast<std::int32_t>(number_of(physical_)), task}, task);
  if (place.width < reserved_bytes) return std::nullopt;
  const std::vector<std::byte> bytes = read_bytes(file_, place.records_offset(0), reserved_bytes);
  for (std::size_t at = 0; at + record_bytes <= bytes.size(); at += record_bytes) {
    const auto record = decode_chunk_record(base::Bytes(bytes).subspan(at));
    const bool is_of_place = record && record->file == place.file && record->task == place.task && record->chunk == 0 &&
                             record->used <= place.width - reserved_bytes;
    if (is_of_place && (!has_tail_ || record->generation == tail_.generation)) return record;
  }
  return std::nullopt;
}

// Sizes of streams follow the tail record of compressed sets.
bool Marks::has_sizes() {
  const std::uint64_t bytes = 8 * static_cast<std::uint64_t>(physical_.geometry.tasks());
  return has_tail_ && tail_.sizes != 0 && checksum_of(file_, tail_offset_ + record_bytes, bytes) == tail_.sizes;
}

std::optional<SetRecord> Marks::set_record() {
  const std::int32_t tasks = physical_.geometry.tasks();
  // At least one of the chunks in the tables of the header has its record.
  bool is_empty = physical_.has_table();
  for (std::int32_t task = 0; task < tasks && is_empty; ++task) is_empty = !is_filled(task);
  if (!chunk_ && !(has_tail_ && is_empty)) return std::nullopt;
  SetRecord record;
  if (chunk_) {
    record.generation = chunk_->generation;
    record.compression = chunk_->compression;
    record.checksums = chunk_->checksums;
  } else {
    record.generation = tail_.generation;
    // For empty packed streams the compression is unknown and makes no difference.
    if (has_sizes()) record.compression = Compression::zstd;
  }
  record.file = number_of(physical_);
  record.tasks = static_cast<std::uint32_t>(tasks);
  const std::uint64_t begin = sion::ranks_offset();
  record.tables = checksum_of(file_, begin, sion::closing_offset(tasks) - begin).value_or(0);
  return record;
}

}  // namespace

std::uint64_t tail_record_offset(base::ByteSource& file, const sion::PhysicalFile& physical) {
  std::uint64_t offset =
      physical.tail_offset + sion::table_bytes(physical.head.tasks, static_cast<std::uint64_t>(physical.max_chunks));
  if (physical.head.files == 1 || physical.head.file_number != 0) return offset;
  std::array<std::byte, 4> entries{};
  if (file.read_at(offset, entries) < entries.size()) return offset;
  const std::int32_t tasks = sion::load_int32(entries.data(), physical.head.metadata_order);
  return offset + 4 + 8 * static_cast<std::uint64_t>(std::max(tasks, 0));
}

std::optional<FoundRecord> find_set_record(base::ByteSource& file, const sion::PhysicalFile& physical) {
  const std::uint64_t offset = sion::head_bytes(physical.head.tasks);
  if (physical.geometry.start(0) < offset + record_bytes) return std::nullopt;
  const std::vector<std::byte> bytes = read_bytes(file, offset, record_bytes);
  if (const std::optional<SetRecord> record = decode_set_record(bytes)) {
    const std::uint64_t tables = sion::ranks_offset();
    const bool matches =
        record->tasks == static_cast<std::uint32_t>(physical.head.tasks) &&
        checksum_of(file, tables, sion::closing_offset(physical.head.tasks) - tables) == record->tables;
    if (!matches) throw_damaged(file.path(), tables, "the tables of the header were changed after they were written");
    if (physical.head.format_version == sion::version) return FoundRecord{*record, {}};
    // Otherwise compressed streams would be read verbatim, as another program's.
    return FoundRecord{*record, fmt::format("{}: the format version in the header (byte {}) is {}, but files with such "
                                            "a record after the header have {}; \"lq repair\" rewrites it",
                                            file.path(), version_offset, physical.head.format_version, sion::version)};
  }
  if (physical.head.format_version != sion::version) return std::nullopt;
  Marks marks(file, physical, looks_like_set_record(bytes));
  if (!marks.are_there()) return std::nullopt;
  const std::optional<SetRecord> record = marks.set_record();
  if (!record) {
    throw_damaged(file.path(), offset,
                  "the record after the header is damaged, and so are the records from which it could be rebuilt");
  }
  return FoundRecord{*record, fmt::format("{}: the record after the header (byte {}) is damaged; its contents were "
                                          "taken from the other records; \"lq repair\" rewrites it",
                                          file.path(), offset)};
}

namespace sion = format::sion;

namespace {

// For tables that can be rebuilt from the records of chunks.
[[noreturn]] void throw_repairable(const std::string& path, std::uint64_t offset, const std::string& what) {
  base::fail(Code::malformed, {.path = path, .offset = offset},
             "{} (byte {}); restore the file from a copy, or repair it", what, offset);
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
  // At most one for each task and one for the fields.
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
  base::fail(Code::malformed, {.path = path, .offset = offset}, "{} (byte {}); restore the file from a copy", what,
             offset);
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

// From the end: most of a range with data need not be read.
std::uint64_t filled_bytes(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  if (file.next_data(offset) >= offset + bytes) return 0;
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(bytes, checksum_piece_bytes)));
  while (bytes > 0) {
    const auto piece =
        base::MutableBytes(buffer).first(static_cast<std::size_t>(std::min(bytes, checksum_piece_bytes)));
    const auto held = piece.first(file.read_at(offset + bytes - piece.size(), piece));
    const auto last = std::ranges::find_if(held.rbegin(), held.rend(), [](std::byte b) { return b != std::byte{0}; });
    bytes -= piece.size();
    if (last != held.rend()) return bytes + static_cast<std::uint64_t>(held.rend() - last);
  }
  return 0;
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
