// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See found_set.hpp.
#include "checkpoint/found_set.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/part_name.hpp"
#include "checkpoint/set_fields.hpp"
#include "format/sion/head.hpp"
#include "kernels/crc32.hpp"

namespace lq::checkpoint {
namespace {

namespace sion = format::sion;

constexpr std::int32_t largest_scan = 1 << 20;  // files looked at for another generation

[[noreturn]] void throw_damaged(const std::string& path, std::uint64_t offset, const std::string& what) {
  throw Error(Code::malformed, fmt::format("{}: {} (byte {}); restore the file from a copy", path, what, offset),
              {.path = path, .offset = offset});
}

// What follows from the records of chunks.
[[noreturn]] void throw_repairable(const std::string& path, std::uint64_t offset, const std::string& what) {
  throw Error(Code::malformed,
              fmt::format("{}: {} (byte {}); restore the file from a copy, or repair it", path, what, offset),
              {.path = path, .offset = offset});
}

std::vector<std::byte> read_bytes(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  buffer.resize(file.read_at(offset, buffer));
  return buffer;
}

std::optional<SetRecord> read_set_record(base::ByteSource& file, const sion::PhysicalFile& physical) {
  if (physical.head.format_version != sion::version) return std::nullopt;
  const std::uint64_t offset = sion::head_bytes(physical.head.tasks);
  if (physical.geometry.start(0) < offset + record_bytes) return std::nullopt;
  const std::vector<std::byte> bytes = read_bytes(file, offset, record_bytes);
  const std::optional<SetRecord> record = decode_set_record(bytes);
  if (!record) {
    if (looks_like_set_record(bytes)) {
      throw_damaged(file.path(), offset, "the record behind the header is damaged, or of a later version");
    }
    return std::nullopt;
  }
  const std::uint64_t tables = sion::ranks_offset();
  const bool matches = record->tasks == static_cast<std::uint32_t>(physical.head.tasks) &&
                       checksum_of(file, tables, sion::closing_offset(physical.head.tasks) - tables) == record->tables;
  if (!matches) throw_damaged(file.path(), tables, "the tables of the header are not what was written");
  return record;
}

// Metadata block 2 with its map.
std::uint64_t table_bytes(const sion::PhysicalFile& physical, std::size_t set_tasks) {
  const bool has_map = physical.head.files > 1 && physical.head.file_number == 0;
  return sion::table_bytes(physical.head.tasks, static_cast<std::uint64_t>(physical.max_chunks)) +
         (has_map ? 4 + 8 * std::uint64_t{set_tasks} : 0);
}

// A file without a set record that has the other one has lost the first.
void require_no_tail_record(base::ByteSource& file, const sion::PhysicalFile& physical, std::size_t set_tasks) {
  if (!physical.has_table()) return;
  if (decode_tail_record(read_bytes(file, physical.tail_offset + table_bytes(physical, set_tasks), record_bytes))) {
    throw_damaged(file.path(), sion::head_bytes(physical.head.tasks), "the record behind the header is damaged");
  }
}

struct TailFacts {
  std::vector<std::uint64_t> sizes;
  std::uint64_t fields = 0;
};

// The record behind metadata block 2, the table it vouches for, and the sizes of streams.
TailFacts read_tail_record(base::ByteSource& file, const sion::PhysicalFile& physical, const SetRecord& set,
                           std::size_t set_tasks) {
  const std::uint64_t table = table_bytes(physical, set_tasks);
  const std::uint64_t offset = physical.tail_offset + table;
  const auto record = decode_tail_record(read_bytes(file, offset, record_bytes));
  if (!record || record->generation != set.generation || record->table_bytes != table) {
    throw_repairable(file.path(), offset, "the record behind metadata block 2 is not what was written");
  }
  if (checksum_of(file, physical.tail_offset, table) != record->table) {
    throw_repairable(file.path(), physical.tail_offset, "metadata block 2 is not what was written");
  }
  if (set.compression == Compression::none) return {{}, record->fields};
  const std::vector<std::byte> bytes = read_bytes(file, offset + record_bytes, 8 * std::uint64_t{set.tasks});
  std::vector<std::uint64_t> sizes(set.tasks);
  if (bytes.size() < 8 * sizes.size() || kernels::crc32(0, bytes) != record->sizes) {
    throw_repairable(file.path(), offset + record_bytes, "the sizes of the streams are not what was written");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = base::load_le<std::uint64_t>(bytes.data() + 8 * i);
  return {std::move(sizes), record->fields};
}

// Without its table where that is not what was written and may be missing: it is made again from the records of chunks.
void load_tail_record(base::ByteSource& file, FoundSet& found, std::size_t number, Unclosed unclosed) {
  const sion::PhysicalFile& physical = found.set.files()[number];
  try {
    TailFacts facts =
        read_tail_record(file, physical, found.records[number], static_cast<std::size_t>(found.set.tasks()));
    found.sizes[number] = std::move(facts.sizes);
    if (number == 0) found.fields = facts.fields;
  } catch (const Error& error) {
    if (unclosed == Unclosed::refused || error.code() != Code::malformed) throw;
    Finding damage;
    damage.severity = Severity::error;
    damage.code = error.code();
    damage.message = error.what();
    found.set.drop_table(static_cast<std::int32_t>(number), std::move(damage));
  }
}

void load_records(transport::Transport& transport, FoundSet& found, Unclosed unclosed) {
  const auto& files = found.set.files();
  for (const sion::PhysicalFile& physical : files) {
    const auto file = transport.open_read(physical.path);
    const std::optional<SetRecord> record = read_set_record(*file, physical);
    if (record.has_value() == found.records.empty() && &physical != &files.front()) {
      throw_damaged(physical.path, 0, "it was not written together with the other files of the set");
    }
    if (!record) {
      require_no_tail_record(*file, physical, static_cast<std::size_t>(found.set.tasks()));
      continue;
    }
    if (!found.records.empty() && found.records.front().generation != record->generation) {
      throw Error(Code::malformed,
                  fmt::format("{}: this file is of another generation ({}) than \"{}\" ({}): a new set was not "
                              "published completely; \"lq repair\" goes on with it if all of it is there",
                              physical.path, record->generation.text(), files.front().path,
                              found.records.front().generation.text()),
                  {.path = physical.path});
    }
    found.records.push_back(*record);
    found.sizes.emplace_back();
    if (physical.has_table()) load_tail_record(*file, found, found.records.size() - 1, unclosed);
  }
}

// Where the fields of the set are. Streams can be read without them.
void find_fields(transport::Transport& transport, FoundSet& found) {
  if (!found.has_records()) return;
  const bool is_known = found.set.files().front().has_table();
  if (is_known && found.fields == 0) return;
  const Generation& generation = found.records.front().generation;
  const std::string name = fields_name(found.path);
  const std::optional<Generation> there = fields_generation_at(transport, name);
  for (const std::string& one : {name, part_name(name, generation)}) {
    if ((one == name ? there : fields_generation_at(transport, one)) != generation) continue;
    found.fields_path = one;
    return;
  }
  if (!is_known) {
    // The name alone tells whose it is, where its writer died before the first note.
    const std::string part = part_name(name, generation);
    const bool holds_something =
        transport.kind(part) == transport::PathKind::file && transport.open_read(part)->size() > 0;
    if (holds_something && !fields_generation_at(transport, part)) found.fields_path = part;
    return;
  }
  const bool is_there = transport.kind(name) == transport::PathKind::file;
  const std::string what = there      ? fmt::format("these are fields of another generation ({}) than the set's ({})",
                                                    there->text(), generation.text())
                           : is_there ? std::string("it does not begin with a field of a set")
                                      : std::string("it is missing");
  found.fields_problem.emplace(
      is_there ? Code::malformed : Code::not_found,
      fmt::format("{}: the set \"{}\" has {} fields in this file, but {}; bring the file that was written with the set",
                  name, found.path, found.fields, what),
      ErrorFacts{.path = name});
}

FoundSet load(transport::Transport& transport, const std::string& path, const std::string& first, sion::NameRule names,
              Unclosed unclosed) {
  FoundSet found;
  found.path = path;
  sion::SetOptions options;
  options.names = std::move(names);
  options.tolerates_damage = options.drops_tables = unclosed == Unclosed::accepted;
  found.set = sion::Set::open(
      first, [&](const std::string& name) { return transport.open_read(name); }, options);
  load_records(transport, found, unclosed);
  find_fields(transport, found);
  return found;
}

}  // namespace

std::optional<std::uint32_t> checksum_of(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t piece = 1 << 20;
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(bytes, piece)));
  std::uint32_t sum = 0;
  while (bytes > 0) {
    const base::MutableBytes part = std::span(buffer).first(static_cast<std::size_t>(std::min(bytes, piece)));
    if (file.read_at(offset, part) < part.size()) return std::nullopt;
    sum = kernels::crc32(sum, part);
    offset += part.size();
    bytes -= part.size();
  }
  return sum;
}

std::vector<RecordAt> read_chunk_records(base::ByteSource& file, const SetRecord& set, const StreamPlace& place,
                                         std::uint64_t chunk) {
  std::vector<RecordAt> found;
  std::array<std::byte, reserved_bytes> bytes{};
  if (place.width < reserved_bytes) return found;
  const std::size_t got = file.read_at(place.records_offset(chunk), bytes);
  for (int i = 0; i < 2; ++i) {
    const auto slot = base::Bytes(bytes).first(got).subspan(std::min(got, static_cast<std::size_t>(i) * record_bytes));
    const auto record = decode_chunk_record(slot);
    const bool is_of_chunk = record && record->generation == set.generation && record->file == place.file &&
                             record->task == place.task && record->chunk == chunk &&
                             record->compression == set.compression && record->used <= place.width - reserved_bytes;
    if (is_of_chunk) found.push_back({*record, i});
  }
  if (found.size() == 2 && found[0].record.used < found[1].record.used) std::swap(found[0], found[1]);
  return found;
}

std::optional<Generation> generation_at(transport::Transport& transport, const std::string& path) {
  try {
    if (transport.kind(path) != transport::PathKind::file) return std::nullopt;
    const auto file = transport.open_read(path);
    const sion::FixedHead head = sion::decode_fixed(read_bytes(*file, 0, sion::longest_fixed_bytes), path);
    if (head.format_version != sion::version || head.tasks < 1) return std::nullopt;
    const auto record = decode_set_record(read_bytes(*file, sion::head_bytes(head.tasks), record_bytes));
    return record ? std::optional(record->generation) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // whatever is wrong with it, it is not a file of the set looked for
  }
}

FoundSet find_generation(transport::Transport& transport, const std::string& path, const Generation& generation,
                         Unclosed unclosed) {
  const sion::NameRule names = [&transport, path, generation](std::int32_t number) {
    const std::string name = sion::file_name(path, number);
    return generation_at(transport, name) == generation ? name : part_name(name, generation);
  };
  FoundSet found = load(transport, path, names(0), names, unclosed);
  if (found.has_records() && found.records.front().generation == generation) return found;
  throw_damaged(names(0), 0, "it is not of the generation looked for");
}

std::string name_of_set(transport::Transport& transport, const std::string& path, const std::string& name) {
  const sion::SetName split = sion::split_name(name);
  if (split.number == 0 || transport.kind(path) != transport::PathKind::file) return name;
  const auto file = transport.open_read(path);
  const std::vector<std::byte> start = read_bytes(*file, 0, sion::longest_fixed_bytes);
  if (!sion::has_magic(start)) return name;
  return sion::decode_fixed(start, path).file_number == split.number ? split.name : name;
}

namespace {

// A job may have died while it gave the files of a complete set their names, in any order but for the first.
std::optional<FoundSet> find_other_generation(transport::Transport& transport, const std::string& path,
                                              const std::optional<Generation>& but, Unclosed unclosed) {
  std::vector<Generation> candidates;
  const auto add = [&](const std::optional<Generation>& one) {
    if (one && one != but && std::ranges::find(candidates, *one) == candidates.end()) candidates.push_back(*one);
  };
  for (std::int32_t number = 0; number < largest_scan; ++number) {
    const auto one = generation_at(transport, sion::file_name(path, number));
    if (!one && number > 0) break;
    add(one);
  }
  add(fields_generation_at(transport, fields_name(path)));
  for (const Generation& one : candidates) {
    try {
      FoundSet found = find_generation(transport, path, one, unclosed);
      if (!found.fields_problem) return found;
    } catch (const Error&) {
      // Not all of it is there.
    }
  }
  return std::nullopt;
}

}  // namespace

FoundSet find_set(transport::Transport& transport, const std::string& any, Unclosed unclosed) {
  const std::string path = name_of_set(transport, any, any);
  try {
    FoundSet found = load(
        transport, path, path, [path](std::int32_t number) { return sion::file_name(path, number); }, unclosed);
    if (!found.fields_problem) return found;
    auto other = find_other_generation(transport, path, found.records.front().generation, unclosed);
    return other ? std::move(*other) : std::move(found);
  } catch (const Error& error) {
    if (error.code() != Code::not_found && error.code() != Code::malformed) throw;
    auto other = find_other_generation(transport, path, std::nullopt, unclosed);
    if (!other) throw;
    return std::move(*other);
  }
}

bool FoundSet::is_named() const {
  if (!fields_path.empty() && fields_path != fields_name(path)) return false;
  std::int32_t number = 0;
  return std::ranges::all_of(set.files(),
                             [&](const auto& file) { return file.path == sion::file_name(path, number++); });
}

StreamPlace FoundSet::place(std::int32_t task) const {
  const sion::Place where = set.place(task);
  const sion::PhysicalFile& file = set.file_of(task);
  StreamPlace place;
  place.start = file.geometry.start(where.task);
  place.width = file.geometry.width(where.task);
  place.skip = file.geometry.skip();
  place.file = static_cast<std::uint32_t>(where.file);
  place.task = static_cast<std::uint32_t>(where.task);
  place.number = task;
  return place;
}

std::uint64_t FoundSet::stream_bytes(std::int32_t task) const {
  const sion::Place where = set.place(task);
  if (compression() == Compression::none) return set.bytes(task);
  return sizes[static_cast<std::size_t>(where.file)][static_cast<std::size_t>(where.task)];
}

MultifileInfo FoundSet::info() const {
  MultifileInfo info;
  info.path = path;
  info.tasks = set.tasks();
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    if (!set.file_of(task).has_table()) continue;
    info.bytes += stream_bytes(task);
    info.stored_bytes += set.bytes(task);
    info.chunks += set.chunks(task);
  }
  for (const auto& file : set.files()) info.files.push_back(file.path);
  info.has_records = has_records();
  info.has_checksums = has_checksums();
  info.compression = compression();
  if (has_records()) info.generation = records.front().generation.text();
  info.fields = fields;
  info.fields_file = fields_path;
  return info;
}

}  // namespace lq::checkpoint
