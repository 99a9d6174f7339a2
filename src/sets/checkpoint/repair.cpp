// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completes an interrupted set in place: tables from records, then names. Data are not moved.
#include "sets/checkpoint/repair.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "comm/alone.hpp"
#include "format/sion/head.hpp"
#include "format/sion/set.hpp"
#include "io/new_file.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/fields_writer.hpp"

namespace lq::sets {
namespace {

namespace sion = format::sion;

// The present path of a file of this generation: its final or temporary name.
std::optional<std::string> member(storage::Transport& transport, const std::string& path, std::int32_t number,
                                  const Generation& generation) {
  const std::string name = sion::file_name(path, number);
  for (const std::string& one : {name, found_part(transport, name, generation)}) {
    if (generation_at(transport, one) == generation) return one;
  }
  return std::nullopt;
}

// The number of files of a set that was growing when it was interrupted, if its first files do not state it yet,
// or if one of their headers is damaged there; else 0.
std::int32_t files_beyond(storage::Transport& transport, const std::string& path, const Generation& generation) {
  std::vector<sion::FixedHead> heads;
  for (std::int32_t number = 0;; ++number) {
    const auto one = member(transport, path, number, generation);
    if (!one) break;
    heads.push_back(sion::read_head(*transport.open_read(*one)));
  }
  const auto files = static_cast<std::int32_t>(heads.size());
  const auto as_many = std::ranges::count(heads, files, &sion::FixedHead::files);
  const auto more = std::ranges::count_if(
      heads, [files](std::int32_t stated) { return stated > files; }, &sion::FixedHead::files);
  if (as_many <= more) return 0;  // if a file is missing, all others state more than exist
  return as_many == std::ssize(heads) ? 0 : files;
}

[[noreturn]] void throw_empty(const std::string& path) {
  base::fail(Code::truncated, path,
             "no header with a record was found: its writer died before it wrote anything, or this "
             "interface did not write the file; there is nothing to recover");
}

// Chunks searched for at wrong positions would look empty.
[[noreturn]] void throw_misplaced(const sion::PhysicalFile& file) {
  base::fail(
      Code::malformed, {.path = file.path, .offset = 0},
      "the header contradicts itself: of blocks of {} bytes and the widths it states, its chunks cannot end at byte "
      "{}, and no other table was found; the block size or the widths are damaged, so the positions of chunks are not "
      "known. Take the first {} bytes of the file from a copy",
      file.head.block_size, file.tail_offset, sion::head_bytes(file.head.tasks));
}

// The set that the path refers to, closed or not.
FoundSet find(storage::Transport& transport, const std::string& path) {
  const auto name = final_name(path);
  auto generation = generation_at(transport, path);
  // The file with the fields refers to its set.
  if (const auto of_fields = set_of_fields(name.value_or(path)); of_fields && !generation) {
    generation = fields_generation_at(transport, path);
    if (generation) return find_generation(transport, *of_fields, *generation, Unclosed::accepted);
  }
  if (!generation) {
    if (!name) return find_set(transport, path, Unclosed::accepted);
    transport.open_read(path);  // not_found, no_permission
    throw_empty(path);
  }
  const std::string of_set = name_of_set(transport, path, name.value_or(path));
  const std::int32_t files = files_beyond(transport, of_set, *generation);
  // Its files may be in the process of replacing those of an older set.
  if (!name && files == 0 && sion::read_head(*transport.open_read(path)).is_closed())
    return find_set(transport, of_set, Unclosed::accepted);
  FoundSet found = find_generation(transport, of_set, *generation, Unclosed::accepted, files);
  if (files > 0 && found.set.is_whole() && found.problems.front().empty()) {
    found.problems.front() = fmt::format(
        "{}: the headers of the set do not agree on the number of its files (byte {} of each); all {} exist, and state "
        "that they were written together",
        found.path, files_offset, files);
  }
  return found;
}

class Repair {
 public:
  Repair(storage::Transport& transport, FoundSet found, const RepairOptions& options, ClosedSet closed)
      : transport_(transport), found_(std::move(found)), options_(options), closed_(closed) {
    report_.path = options.output.empty() ? found_.path : options.output;
    report_.tasks = found_.set.tasks();
  }

  RepairReport run() {
    const bool is_whole = found_.set.is_whole();
    if (!found_.has_records() && !is_whole) {
      base::fail(Code::unsupported, found_.path,
                 "the set was not closed, and was written without the records needed to recover it");
    }
    report_.fields = found_.fields;
    for (const std::string& problem : found_.problems) {
      if (!problem.empty()) report_.mended.push_back(problem);
    }
    if (is_whole && found_.is_named() && !found_.has_problems()) {
      report_.path = found_.path;
      return whole_report();
    }
    if (has_other_name() && !options_.dry_run) return repair_copy();
    if (is_whole && found_.is_named() && !has_other_name()) {
      report_.outcome = RepairReport::Outcome::mended;
      if (!options_.dry_run) claim();
      return whole_report();
    }
    // A set is not completed without fields that another attempt may find.
    if (found_.fields_problem && cannot_be_read(*found_.fields_problem)) throw Error(*found_.fields_problem);
    require_targets();
    if (!options_.dry_run && (!is_whole || found_.has_problems())) claim();
    if (!file(0).has_table()) recover_fields_of_set();
    for (std::int32_t number = 0; number < files(); ++number) report_.files.push_back(target(number));
    if (has_fields()) report_.files.push_back(fields_name(report_.path));
    report_.outcome = !is_whole               ? RepairReport::Outcome::recovered
                      : found_.has_problems() ? RepairReport::Outcome::mended
                                              : RepairReport::Outcome::published;
    examine_closed();
    for (std::int32_t number = 0; number < files(); ++number) file(number).has_table() ? count(number) : close(number);
    if (!options_.dry_run) publish();
    return std::move(report_);
  }

 private:
  std::int32_t files() const noexcept { return static_cast<std::int32_t>(found_.set.files().size()); }
  const sion::PhysicalFile& file(std::int32_t number) const {
    return found_.set.files()[static_cast<std::size_t>(number)];
  }
  std::string target(std::int32_t number) const { return sion::file_name(report_.path, number); }
  bool has_fields() const noexcept { return report_.fields > 0 && !found_.fields_path.empty(); }

  // True if the repaired set is to have a name other than its present or intended one: then the existing files stay
  // unchanged, and a copy is repaired.
  bool has_other_name() const {
    return !options_.output.empty() && base::plain_path(options_.output) != base::plain_path(found_.path);
  }

  // For a set that is closed and has its names.
  RepairReport whole_report() {
    examine_closed();
    for (std::int32_t number = 0; number < files(); ++number) count(number);
    report_.files = found_.info().files;
    if (!found_.fields_path.empty()) report_.files.push_back(found_.fields_path);
    return report_;
  }

  RepairReport repair_copy();

  // Names already assigned show that the new set was complete and has replaced the old one.
  bool replaces() const {
    if (options_.overwrite) return true;
    for (std::int32_t number = 0; number < files(); ++number) {
      if (file(number).path == target(number)) return true;
    }
    return found_.fields_path == fields_name(report_.path);
  }

  void require_targets() const {
    for (std::int32_t number = 0; number < files(); ++number) {
      if (file(number).path != target(number)) io::require_target(transport_, target(number), replaces());
    }
    const std::string fields = fields_name(report_.path);
    if (found_.fields_path.empty() || found_.fields_path == fields) return;
    io::require_target(transport_, fields, replaces() && fields_generation_at(transport_, fields));
  }

  // For a set that was not closed.
  void recover_fields_of_set() {
    if (found_.fields_path.empty()) return;
    RecoveredFields found =
        recover_fields(transport_, found_.fields_path, found_.records.front().generation, options_.dry_run);
    report_.fields = found.fields;
    report_.lost.insert(report_.lost.end(), found.damage.begin(), found.damage.end());
    // What a writer did not finish never belonged to the set.
    if (found.damage.empty() || file(0).tail_offset == 0) return;
    lost_fields_ = StreamLoss{.task = StreamLoss::of_fields, .position = found.fields, .bytes = found.damage.size()};
  }

  void count(std::int32_t number) {
    const sion::ChunkTable& table = file(number).table;
    for (std::int32_t task = 0; task < table.tasks(); ++task) {
      for (const std::int64_t used : table.used(task)) report_.chunks += used > 0 ? 1 : 0;
      report_.stored_bytes += table.bytes(task);
    }
  }

  void examine_closed();
  void claim();
  KnownOfFile known_of(std::int32_t number, base::ByteSource& file) const;
  sion::Tail tail_of(std::int32_t number, const std::vector<RecoveredTask>& tasks) const;
  bool is_whole(std::int32_t number, const std::vector<RecoveredTask>& tasks, std::uint32_t table_sum) const;
  std::vector<RecoveredTask> recover(std::int32_t number, base::ByteSource& file);
  void close(std::int32_t number);
  void publish();

  storage::Transport& transport_;
  FoundSet found_;
  RepairOptions options_;
  ClosedSet closed_;
  RepairReport report_;
  std::optional<StreamLoss> lost_fields_;
};

// A closed file keeps its table, even if chunks have changed: readers refuse only those. After a
// power failure there may be a table without the bytes before it.
void Repair::examine_closed() {
  const bool is_verified = closed_ == ClosedSet::verified_by_caller && found_.set.is_whole();
  if (is_verified && (!options_.dry_run || report_.outcome == RepairReport::Outcome::nothing_to_do)) return;
  const auto open = std::make_shared<OpenFiles>(transport_);
  open->set_paths(found_.info().files);
  const auto words = [&](const StreamPlace& place, std::uint64_t chunk, std::uint64_t stated, const Error& error) {
    if (!found_.has_records() || cannot_be_read(error)) return std::string(error.what());
    return describe_damage(open->file(place.file), found_.records.front(), place, chunk, stated);
  };
  check_streams(found_, open, 0, words, report_.lost);
  for (std::size_t number = 0; number < found_.losses.size(); ++number) {
    const sion::PhysicalFile& physical = found_.set.files()[number];
    for (const StreamLoss& loss : found_.losses[number]) {
      ChunkDamage lost{
          physical.path, -1, loss.chunk, 0, loss.bytes, found_.describe(loss, static_cast<std::int32_t>(number))};
      if (loss.task != StreamLoss::of_fields) {
        const sion::Place place{static_cast<std::int32_t>(number), static_cast<std::int32_t>(loss.task)};
        lost.task = physical.ranks[loss.task];
        lost.offset = place_of(physical, place, lost.task).offset(loss.chunk);
        lost.what = fmt::format("it was lost in an earlier repair: {}", describe(loss.cause));
      }
      report_.lost.push_back(std::move(lost));
    }
  }
  if (!file(0).has_table()) return;
  const std::vector<ChunkDamage> of_fields = check_fields(transport_, found_, FieldData::compared).damage;
  report_.lost.insert(report_.lost.end(), of_fields.begin(), of_fields.end());
}

// From here on a writer that was taken for dead is refused; damaged records and versions are valid
// again, and all files know their number.
void Repair::claim() {
  const auto count = [](const SetRecord& record) { return record.epoch.count; };
  const Epoch epoch = epoch_after(std::ranges::max(found_.records, {}, count).epoch);
  for (std::int32_t number = 0; number < files(); ++number) {
    const auto handle = transport_.open_write(file(number).path);
    SetRecord& record = found_.records[static_cast<std::size_t>(number)];
    record.epoch = epoch;
    write_set_record(*handle, record);
    std::array<std::byte, 4> bytes{};
    sion::store_int32(bytes.data(), files(), file(number).head.metadata_order);
    if (files() > 1) handle->write_at(files_offset, bytes);
    if (file(number).head.format_version != sion::version) {
      sion::store_int32(bytes.data(), sion::version, file(number).head.metadata_order);
      handle->write_at(version_offset, bytes);
    }
    handle->sync();
    handle->close();
  }
}

KnownOfFile Repair::known_of(std::int32_t number, base::ByteSource& handle) const {
  const sion::PhysicalFile& physical = file(number);
  const auto& record = found_.records[static_cast<std::size_t>(number)];
  const std::uint64_t start = physical.geometry.start(0), skip = physical.geometry.skip();
  KnownOfFile known;
  known.was_closed = physical.tail_offset != 0 || physical.max_chunks != 0;
  // A table with a record after it shows the end of the last block; else the header may. No map follows the table of a
  // set that had one file before it grew.
  sion::PhysicalFile tried;
  const std::uint64_t most = skip > 0 && physical.bytes > start ? (physical.bytes - start) / skip : 0;
  const auto try_table = [&](std::uint64_t blocks, std::int32_t files) {
    tried.head = physical.head;
    tried.head.files = files;
    tried.max_chunks = static_cast<std::int32_t>(blocks);
    tried.tail_offset = start + blocks * skip;
    const auto tail = decode_tail_record(read_bytes(handle, tail_record_offset(handle, tried), record_bytes));
    if (!tail || tail->generation != record.generation) return;
    known.blocks = blocks;
    known.table_sum = tail->table;
  };
  const bool may_have_grown = physical.head.files > 1 && physical.head.file_number == 0;
  for (std::uint64_t blocks = 1; blocks <= most && known.blocks == 0; ++blocks) {
    try_table(blocks, physical.head.files);
    if (known.blocks == 0 && may_have_grown) try_table(blocks, 1);
  }
  const auto stated = static_cast<std::uint64_t>(std::max(physical.max_chunks, 0));
  if (known.blocks == 0 && stated > 0 && physical.tail_offset == start + stated * skip) known.blocks = stated;
  if (known.was_closed && known.blocks == 0) throw_misplaced(physical);
  if (!known.was_closed) known.blocks = std::max<std::uint64_t>(known.blocks, record.blocks);
  known.tail_offset = start + known.blocks * skip;
  const sion::ChunkTable& table = found_.doubtful[static_cast<std::size_t>(number)];
  if (table.tasks() == physical.geometry.tasks()) known.table = &table;
  return known;
}

// The table that follows from the records of chunks.
sion::Tail Repair::tail_of(std::int32_t number, const std::vector<RecoveredTask>& tasks) const {
  sion::Tail tail;
  tail.table = sion::ChunkTable::of(tasks, &RecoveredTask::used);
  if (number == 0 && files() > 1) tail.map = found_.set.places();
  return tail;
}

// True if that equals the existing table byte for byte: then all chunks have been found.
bool Repair::is_whole(std::int32_t number, const std::vector<RecoveredTask>& tasks, std::uint32_t table_sum) const {
  sion::Tail tail = tail_of(number, tasks);
  const auto is_it = [&] {
    std::uint32_t sum = 0;
    sion::encode(tail, file(number).head.metadata_order, [&](base::Bytes bytes) { sum = kernels::crc32(sum, bytes); });
    return sum == table_sum;
  };
  if (is_it()) return true;
  if (!tail.map) return false;
  tail.map.reset();  // as before the set grew
  return is_it();
}

std::vector<RecoveredTask> Repair::recover(std::int32_t number, base::ByteSource& handle) {
  const sion::PhysicalFile& physical = file(number);
  KnownOfFile known = known_of(number, handle);
  const auto place = [&](std::int32_t task) {
    return place_of(physical, {number, task}, physical.ranks[static_cast<std::size_t>(task)]);
  };
  const auto walk = [&] {
    std::vector<RecoveredTask> found;
    for (std::int32_t task = 0; task < physical.geometry.tasks(); ++task) {
      found.push_back(recover_task(handle, found_.records[static_cast<std::size_t>(number)], place(task), known));
    }
    return found;
  };
  // A doubtful table is used only if the correct one is unknown.
  const sion::ChunkTable* const doubtful = known.table_sum ? std::exchange(known.table, nullptr) : nullptr;
  std::vector<RecoveredTask> tasks = walk();
  if (known.table_sum && is_whole(number, tasks, *known.table_sum)) {
    for (RecoveredTask& one : tasks) {
      one.loss.reset();  // the supposed loss did not occur
      one.lost.clear();
    }
    return tasks;
  }
  if (doubtful != nullptr) {
    known.table = doubtful;
    tasks = walk();
  }
  std::uint64_t most = 0;
  for (const RecoveredTask& one : tasks) most = std::max<std::uint64_t>(most, one.used.size());
  if (most >= known.blocks) return tasks;
  // One of them had that many chunks; which one is unknown.
  for (std::int32_t task = 0; task < physical.geometry.tasks(); ++task) {
    RecoveredTask& one = tasks[static_cast<std::size_t>(task)];
    if (one.loss || !one.may_go_on) continue;
    one.loss = {static_cast<std::uint32_t>(task), LossCause::without_record, one.chunks, one.bytes, 1};
    one.lost.push_back(
        {physical.path, place(task).number, one.chunks, place(task).offset(one.chunks), 0,
         fmt::format("the file had {} blocks of chunks, of which at most {} were found; whether this task "
                     "had more than {} chunks is unknown",
                     known.blocks, most, one.chunks)});
  }
  return tasks;
}

void Repair::close(std::int32_t number) {
  const sion::PhysicalFile& physical = file(number);
  const auto handle = options_.dry_run ? transport_.open_read(physical.path) : transport_.open_write(physical.path);
  Closing closing = closing_of(physical, found_.records[static_cast<std::size_t>(number)]);
  closing.was_repaired = closing.was_published = true;
  if (number == 0) closing.fields = static_cast<std::uint32_t>(report_.fields);
  const std::vector<RecoveredTask> tasks = recover(number, *handle);
  for (const RecoveredTask& one : tasks) {
    if (closing.record.compression != Compression::none) closing.sizes.push_back(one.bytes);
    report_.chunks += one.chunks;
    for (const std::int64_t used : one.used) report_.stored_bytes += static_cast<std::uint64_t>(used);
    report_.lost.insert(report_.lost.end(), one.lost.begin(), one.lost.end());
    report_.unfinished.insert(report_.unfinished.end(), one.unfinished.begin(), one.unfinished.end());
    if (one.loss) closing.losses.push_back(*one.loss);
  }
  if (number == 0 && lost_fields_) closing.losses.push_back(*lost_fields_);
  if (options_.dry_run) return;
  closing.tail = tail_of(number, tasks);
  close_file(*handle, closing);
  handle->sync();
  handle->close();
}

// Copies the files under the temporary names of a new set, where they are repaired like leftovers.
RepairReport Repair::repair_copy() {
  if (found_.fields_problem && cannot_be_read(*found_.fields_problem)) throw Error(*found_.fields_problem);
  require_targets();
  const Generation generation = found_.records.front().generation;
  if (generation_at(transport_, target(0)) == generation) {
    base::fail(Code::exists, target(0),
               "this is already a copy of the set from an earlier repair; remove it, or choose another name");
  }
  std::vector<std::string> parts;
  try {
    const auto copy = [&](const std::string& from, const std::string& name) {
      const std::string part = part_name(name, generation);
      const auto to = create_part(transport_, report_.path, part);
      parts.push_back(part);
      transport_.keep_private(from, part);
      const auto source = transport_.open_read(from);
      copy_bytes(*source, {0, source->size()}, *to, 0, [](std::uint64_t) {});
      to->sync();
      to->close();
    };
    for (std::int32_t number = 0; number < files(); ++number) copy(file(number).path, target(number));
    if (!found_.fields_path.empty()) copy(found_.fields_path, fields_name(report_.path));
    FoundSet copied = find_generation(transport_, report_.path, generation, Unclosed::accepted, files());
    for (std::size_t number = 0; number < copied.problems.size(); ++number) {
      if (copied.problems[number].empty()) copied.problems[number] = found_.problems[number];
    }
    RepairOptions options = options_;
    options.output.clear();
    return Repair(transport_, std::move(copied), options, closed_).run();
  } catch (...) {
    for (const std::string& part : parts) remove_quietly(transport_, part);
    throw;
  }
}

void Repair::publish() {
  const bool replacing = replaces();
  const std::int32_t older_files = replacing ? files_of(transport_, report_.path) : 0;
  std::vector<NewName> names;
  for (std::int32_t number = files() - 1; number > 0; --number) names.push_back({file(number).path, target(number)});
  if (has_fields()) names.push_back({found_.fields_path, fields_name(report_.path)});
  names.push_back({file(0).path, target(0)});
  // If a set has its name and some fields were not found, an existing file of fields is not one that it replaced.
  const bool misses_fields = report_.fields > 0 && file(0).path == target(0);
  const bool keeps_fields = has_fields() || misses_fields || found_.fields_path == fields_name(report_.path);
  publish_set(transport_, report_.path, names,
              {.files = files(), .has_fields = keeps_fields, .overwrite = replacing, .older_files = older_files});
}

}  // namespace

RepairReport repair(storage::Transport& transport, const std::string& path, const RepairOptions& options,
                    ClosedSet closed) {
  return Repair(transport, find(transport, path), options, closed).run();
}

}  // namespace lq::sets

namespace lq {

RepairReport repair_multifile(const std::string& path, const RepairOptions& options) {
  return comm::alone([&] { return sets::repair(storage::resolve(path), path, options); });
}

}  // namespace lq
