// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/found_set.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "format/sion/head.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/set_fields.hpp"

namespace lq::sets {
namespace {

namespace sion = format::sion;

constexpr std::int32_t largest_scan = 1 << 20;  // files searched for another generation

// Without its table if that was changed or may be missing: it is rebuilt from the records of chunks.
void load_tail_record(base::ByteSource& file, FoundSet& found, std::size_t number, Unclosed unclosed) {
  const sion::PhysicalFile& physical = found.set.files()[number];
  try {
    TailFacts facts =
        read_tail_record(file, physical, found.records[number], static_cast<std::size_t>(found.set.tasks()));
    found.sizes[number] = std::move(facts.sizes);
    found.losses[number] = std::move(facts.losses);
    if (number == 0) found.fields = facts.fields;
  } catch (const Error& error) {
    if (unclosed == Unclosed::refused || error.code() != Code::malformed) throw;
    found.doubtful[number] = physical.table;
    found.set.drop_table(static_cast<std::int32_t>(number),
                         {.severity = Severity::error, .code = error.code(), .message = error.what()});
  }
}

using FoundRecords = std::vector<std::optional<FoundRecord>>;

// Values that all files of a set have in common.
void require_same_records(const std::vector<sion::PhysicalFile>& files, const FoundRecords& records,
                          const std::vector<std::size_t>& there) {
  const std::size_t first = there.front();
  for (const std::size_t number : there) {
    const auto &one = records[number], &other = records[first];
    const sion::PhysicalFile& physical = files[number];
    if (one.has_value() != other.has_value()) {
      throw_damaged(physical.path, 0, "it was not written together with the other files of the set");
    }
    if (!one) continue;
    if (one->record.generation != other->record.generation) {
      base::fail(Code::malformed, physical.path,
                 "this file is of another generation ({}) than \"{}\" ({}): a new set was not published "
                 "completely; \"lq repair\" publishes it if all of its files exist",
                 one->record.generation.text(), files[first].path, other->record.generation.text());
    }
    if (one->record.compression != other->record.compression) {
      throw_damaged(physical.path, sion::head_bytes(physical.head.tasks),
                    "its record and the first file state different compressions");
    }
  }
}

// Replaces a missing file: its streams are empty.
void stand_in(FoundSet& found, std::size_t number, const SetRecord& other) {
  const sion::PhysicalFile& physical = found.set.files()[number];
  SetRecord& record = found.records[number];
  record = other;
  record.file = static_cast<std::uint32_t>(number);
  record.tasks = static_cast<std::uint32_t>(physical.head.tasks);
  if (record.compression != Compression::none) found.sizes[number].assign(record.tasks, 0);
  for (std::uint32_t task = 0; task < record.tasks; ++task) {
    found.losses[number].push_back({.task = task, .cause = LossCause::file_missing});
  }
}

// Opens a file of a set by its name.
using OpenMember = sion::Open;

void load_records(const OpenMember& open, FoundSet& found, Unclosed unclosed, const sion::MissingFiles* missing_files) {
  const auto& files = found.set.files();
  FoundRecords records(files.size());
  std::vector<std::size_t> there;
  for (std::size_t number = 0; number < files.size(); ++number) {
    if (missing_files != nullptr && missing_files->is_missing(static_cast<std::int32_t>(number))) continue;
    there.push_back(number);
    records[number] = find_set_record(*open(files[number].path), files[number]);
  }
  require_same_records(files, records, there);
  const auto& first = records[there.front()];
  if (!first) return;
  found.records.resize(files.size());
  found.problems.resize(files.size());
  found.doubtful.resize(files.size());
  found.sizes.resize(files.size());
  found.losses.resize(files.size());
  for (std::size_t number = 0; number < files.size(); ++number) {
    if (!records[number]) {
      stand_in(found, number, first->record);
      continue;
    }
    found.records[number] = records[number]->record;
    found.problems[number] = records[number]->problem;
    if (files[number].has_table()) load_tail_record(*open(files[number].path), found, number, unclosed);
  }
}

FoundFields look_for_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                            std::optional<std::uint64_t> fields) {
  const std::string name = fields_name(path);
  const std::optional<Generation> there = read_fields_generation(transport, name);
  const std::string part = found_part(transport, name, generation);
  for (const std::string& one : {name, part}) {
    if ((one == name ? there : read_fields_generation(transport, one)) == generation) return {one, {}};
  }
  if (!fields) {
    // If its writer died before the first note, only the name shows whose it is.
    const bool holds_something =
        transport.kind(part) == storage::PathKind::file && transport.open_read(part)->size() > 0;
    return {holds_something && !read_fields_generation(transport, part) ? part : std::string(), {}};
  }
  const bool is_there = transport.kind(name) == storage::PathKind::file;
  const std::string what = there      ? fmt::format("these are fields of another generation ({}) than the set's ({})",
                                                    there->text(), generation.text())
                           : is_there ? std::string("it does not begin with a field of a set")
                                      : std::string("it is missing");
  return {{},
          base::file_error(
              is_there ? Code::malformed : Code::not_found, name,
              "the set \"{}\" has its fields ({}) in this file, but {}; restore the file that was written with the set",
              path, *fields, what)};
}

FoundSet load(storage::Transport& transport, const std::string& path, const std::string& first, sion::NameRule names,
              Unclosed unclosed, std::int32_t files = 0, const sion::MissingFiles* missing_files = nullptr) {
  FoundSet found;
  found.path = path;
  sion::SetOptions options;
  options.names = std::move(names);
  options.files = files;
  options.tolerates_damage = options.drops_tables = unclosed == Unclosed::accepted;
  const OpenMember open = [&](const std::string& name) -> std::unique_ptr<base::ByteSource> {
    return missing_files != nullptr ? missing_files->open(name) : transport.open_read(name);
  };
  found.set = sion::Set::open(first, open, options);
  load_records(open, found, unclosed, missing_files);
  if (!found.has_records()) return found;
  const bool knows_fields =
      found.set.files().front().has_table() && (missing_files == nullptr || !missing_files->is_missing(0));
  const std::optional<std::uint64_t> fields = knows_fields ? std::optional(found.fields) : std::nullopt;
  FoundFields where = find_fields(transport, path, found.records.front().generation, fields);
  found.fields_path = std::move(where.path);
  found.fields_problem = std::move(where.problem);
  return found;
}

}  // namespace

FoundFields find_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                        std::optional<std::uint64_t> fields) {
  if (fields == 0) return {};
  try {
    return look_for_fields(transport, path, generation, fields);
  } catch (const Error& error) {
    // Streams can be read without fields; an interrupted set is not completed without them.
    if (!fields || !cannot_be_read(error)) throw;
    return {{}, error};
  }
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

std::optional<Generation> generation_at(storage::Transport& transport, const std::string& path) {
  try {
    if (transport.kind(path) != storage::PathKind::file) return std::nullopt;
    const auto file = transport.open_read(path);
    const sion::FixedHead head = sion::decode_fixed(read_bytes(*file, 0, sion::longest_fixed_bytes), path);
    if (head.tasks < 1) return std::nullopt;
    const auto record = decode_set_record(read_bytes(*file, sion::head_bytes(head.tasks), record_bytes));
    if (record) return record->generation;
    if (head.format_version != sion::version) return std::nullopt;
    const auto found = find_set_record(*file, sion::read_file(*file, {.tolerates_damage = true, .drops_tables = true}));
    return found ? std::optional(found->record.generation) : std::nullopt;
  } catch (const Error& error) {
    if (cannot_be_read(error)) throw;
    return std::nullopt;  // whatever else is wrong with it, it is not a file of the requested set
  }
}

FoundSet find_generation(storage::Transport& transport, const std::string& path, const Generation& generation,
                         Unclosed unclosed, std::int32_t files) {
  const sion::NameRule names = [&transport, path, generation](std::int32_t number) {
    const std::string name = sion::file_name(path, number);
    return generation_at(transport, name) == generation ? name : found_part(transport, name, generation);
  };
  FoundSet found = load(transport, path, names(0), names, unclosed, files);
  if (found.has_records() && found.records.front().generation == generation) return found;
  throw_damaged(names(0), 0, "it does not have the expected generation");
}

std::string name_of_set(storage::Transport& transport, const std::string& path, const std::string& name) {
  const sion::SetName split = sion::split_name(name);
  if (split.number == 0 || transport.kind(path) != storage::PathKind::file) return name;
  const auto file = transport.open_read(path);
  const std::vector<std::byte> start = read_bytes(*file, 0, sion::longest_fixed_bytes);
  if (!sion::has_magic(start)) return name;
  return sion::decode_fixed(start, path).file_number == split.number ? split.name : name;
}

namespace {

// A job may have died while renaming the files of a complete set, in any order except for the first.
std::optional<FoundSet> find_other_generation(storage::Transport& transport, const std::string& path,
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
      // It is incomplete.
    }
  }
  return std::nullopt;
}

}  // namespace

FoundSet find_set(storage::Transport& transport, const std::string& any, Unclosed unclosed, MissingFiles missing) {
  const std::string path = name_of_set(transport, any, any);
  if (missing == MissingFiles::stood_in_for) {
    const sion::NameRule names = [path](std::int32_t number) { return sion::file_name(path, number); };
    const sion::MissingFiles missing_files([&transport](const std::string& name) { return transport.open_read(name); },
                                           names);
    if (missing_files.count() > 0) {
      FoundSet found = load(transport, path, missing_files.first(), names, unclosed, 0, &missing_files);
      if (found.has_records()) return found;  // otherwise the missing streams would be forgotten
    }
  }
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

StreamPlace FoundSet::place(std::int32_t task) const { return place_of(set.file_of(task), set.place(task), task); }

std::uint64_t FoundSet::kept_bytes(std::int32_t task) const {
  const sion::Place where = set.place(task);
  if (compression() == Compression::none) return set.bytes(task);
  return sizes[static_cast<std::size_t>(where.file)][static_cast<std::size_t>(where.task)];
}

const StreamLoss* FoundSet::loss_of(std::int32_t task) const {
  if (!has_records()) return nullptr;
  const sion::Place where = set.place(task);
  const std::vector<StreamLoss>& all = losses[static_cast<std::size_t>(where.file)];
  const auto loss = std::ranges::lower_bound(all, static_cast<std::uint32_t>(where.task), {}, &StreamLoss::task);
  return loss != all.end() && loss->task == static_cast<std::uint32_t>(where.task) ? &*loss : nullptr;
}

std::uint64_t FoundSet::stream_bytes(std::int32_t task) const {
  const StreamLoss* loss = loss_of(task);
  return kept_bytes(task) + (loss != nullptr ? loss->bytes : 0);
}

bool FoundSet::has_losses() const noexcept {
  return std::ranges::any_of(losses, [](const auto& of_file) { return !of_file.empty(); });
}

bool FoundSet::has_problems() const noexcept {
  return std::ranges::any_of(problems, [](const std::string& one) { return !one.empty(); });
}

std::string FoundSet::describe(const StreamLoss& loss, std::int32_t file) const {
  const sion::PhysicalFile& physical = set.files()[static_cast<std::size_t>(file)];
  if (loss.task == StreamLoss::of_fields) {
    return fmt::format(
        "{}: the repair or rewrite of the set kept {} of {} fields; read the others from another checkpoint",
        fields_name(path), loss.position, loss.position + loss.bytes);
  }
  if (loss.cause == LossCause::file_missing) {
    return fmt::format("{}: nothing of task {} is left: {}", physical.path, physical.ranks[loss.task],
                       sets::describe(loss.cause));
  }
  return fmt::format(
      "{}: task {} lost everything after byte {} of its stream (at least {} bytes) when the set was repaired: of chunk "
      "{}, {}",
      physical.path, physical.ranks[loss.task], loss.position, loss.bytes, loss.chunk, sets::describe(loss.cause));
}

TaskEntry entry_of(const FoundSet& found, std::int32_t task) {
  TaskEntry entry = entry_of(found.set.file_of(task), found.set.place(task), task, found.stream_bytes(task));
  if (const StreamLoss* loss = found.loss_of(task)) {
    entry.lost = loss->bytes;
    entry.lost_chunk = loss->chunk;
    entry.cause = loss->cause;
  }
  return entry;
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
  const auto tell = [&](Code code, const char* rule, const std::string& message) {
    info.findings.push_back({.severity = Severity::error, .code = code, .rule = rule, .message = message});
  };
  for (const std::string& problem : problems) {
    if (!problem.empty()) tell(Code::malformed, "set-record", problem);
  }
  for (std::size_t file = 0; file < losses.size(); ++file) {
    for (const StreamLoss& loss : losses[file]) {
      tell(Code::truncated, "lost-in-repair", describe(loss, static_cast<std::int32_t>(file)));
    }
  }
  return info;
}

}  // namespace lq::sets
