// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opens a set for appending.
#include "sets/checkpoint/appended_set.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/multi_root.hpp"
#include "comm/pack.hpp"
#include "comm/tree.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "io/new_file.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "storage/forwarding.hpp"
#include "storage/pinned_transport.hpp"

namespace lq::sets {

namespace sion = format::sion;

void AppendedSet::begin() {
  number_tasks();
  find();
  plan_new_files();
  for (std::size_t index = 0; index < new_files_.size(); ++index) lay_out(index);
  comm::agree(all(), [&] { open_streams(std::exchange(mine_, {})); });
  mark_open();
}

// tasks_: the requested tasks.
void AppendedSet::number_tasks() {
  const auto mine = static_cast<std::uint64_t>(options_.streams);
  const comm::Sums sums = comm::exclusive_sums(all(), std::span(&mine, 1));
  first_task_ = static_cast<std::int64_t>(sums.before[0]);
  tasks_ = static_cast<std::int64_t>(sums.total[0]);
}

void AppendedSet::find() {
  // What is read goes into new headers and tables, and not all of it has a checksum.
  storage::TwiceRead twice(transport_);
  const auto files = comm::agree(all(), [&] { return std::make_unique<storage::PinnedTransport>(twice); });
  const auto begin = static_cast<std::uint64_t>(first_task_);
  const SetTables tables = read_tables(
      *files, path_, all(), {.mine = TaskRange{begin, begin + static_cast<std::uint64_t>(options_.streams)}});
  comm::agree(all(), [&] { keep(tables); });
  std::uint64_t epoch = 0;
  for (const auto& [number, kept] : kept_) epoch = std::max<std::uint64_t>(epoch, kept.record.epoch.count);
  all().all_reduce(std::span(&epoch, 1), comm::Reduce::max);
  comm::agree_at_root(all(), [&] {
    if (!tables.record) {
      base::fail(Code::unsupported, path_,
                 "the set was written by another program, without the records that keep it recoverable "
                 "while it grows; \"lq defrag {} -o NEW --checkpoint\" writes a set that has them",
                 path_);
    }
    const auto whole = tables.mine.find(0);
    if (whole != tables.mine.end() && whole->second.set) require_whole(*whole->second.set);
    common_ = {encode(*tables.record),
               tables.info.tasks,
               static_cast<std::int64_t>(tables.info.files.size()),
               tables.head.block_size,
               epoch_after({.count = static_cast<std::uint32_t>(epoch)}),
               tables.info.fields};
    remove_stale_files(tables.record->generation);
  });
  all().broadcast(std::as_writable_bytes(std::span(&common_, 1)), 0);
  record_ = *decode_set_record(common_.record);
  record_.epoch = common_.epoch;
  record_.blocks = 0;
  generation_ = record_.generation;
  options_.compression = record_.compression;
  options_.checksums = record_.checksums;
  tasks_ = std::max(common_.tasks, tasks_);
  comm::agree(all(), [&] {
    require_options(options_, path_);
    if (tasks_ > std::numeric_limits<std::int32_t>::max()) {
      base::fail(Code::invalid_argument, path_, "{} tasks; a set has less than 2^31", tasks_);
    }
    parts_ = tables.parts;
    fields_problem_ = tables.fields_problem;
    prefix_ = tables.head.prefix;
  });
  mine_ = distribute_tasks(tables);
}

// Keeps what is needed to close the files whose tables this rank has read.
void AppendedSet::keep(const SetTables& tables) {
  for (const auto& [part, read] : tables.mine) {
    if (read.file && read.file->record) {
      KeptFile& kept = kept_[part];
      kept = {std::shared_ptr<const sion::PhysicalFile>(read.file, &read.file->physical), *read.file->record, {}, {}};
      for (std::int32_t task = 0; task < read.file->physical.table.tasks(); ++task) {
        kept.sizes.push_back(read.file->stream_bytes(task));
      }
      if (part > 0) continue;
      for (std::size_t file = 0; file < tables.parts.count(); ++file) {
        const auto count = static_cast<std::int32_t>(tables.parts.tasks[file + 1] - tables.parts.tasks[file]);
        for (std::int32_t task = 0; task < count; ++task) kept.map.push_back({static_cast<std::int32_t>(file), task});
      }
    }
    if (!read.set || !read.set->has_records()) continue;
    const sion::Set& set = read.set->set;
    for (std::size_t number = 0; number < set.files().size(); ++number) {
      const sion::PhysicalFile& physical = set.files()[number];
      kept_[number] = {std::shared_ptr<const sion::PhysicalFile>(read.set, &physical),
                       read.set->records[number],
                       std::vector<std::uint64_t>(static_cast<std::size_t>(physical.geometry.tasks())),
                       {}};
    }
    for (std::int32_t task = 0; task < set.tasks(); ++task) {
      const sion::Place place = set.place(task);
      kept_.at(static_cast<std::size_t>(place.file)).sizes[static_cast<std::size_t>(place.task)] =
          read.set->stream_bytes(task);
    }
    kept_.at(0).map = set.places();
  }
}

// For a set that rank 0 has read: a set that is read file by file needs none of this.
void AppendedSet::require_whole(const FoundSet& found) const {
  const auto refuse = [&](const char* why) { base::fail(Code::wrong_state, path_, "{}", why); };
  if (!found.is_named()) refuse("the set was not published completely; repair it first");
  if (found.has_problems()) refuse("a header or the record after it is damaged; repair it first");
  // A stream continues at its end, and the end of this one is lost.
  for (std::size_t file = 0; file < found.losses.size(); ++file) {
    if (found.losses[file].empty()) continue;
    throw Error(Code::unsupported,
                fmt::format("{}; cannot append to this set. Run \"lq defrag {} -o NEW --no-verify\" to save the "
                            "remaining data as a new set, and append to that",
                            found.describe(found.losses[file].front(), static_cast<std::int32_t>(file)), path_),
                {.path = path_});
  }
}

// Removes files of attempts that failed before they changed the set, and of a replaced set whose files its writer
// could not remove before it died. The last first, so that none is left after a gap.
void AppendedSet::remove_stale_files(const Generation& mine) {
  std::vector<std::string> stale;
  for (auto number = static_cast<std::int32_t>(common_.files);; ++number) {
    const std::string name = sion::file_name(path_, number), part = found_part(transport_, name, mine);
    const std::size_t before = stale.size();
    if (transport_.kind(part) == storage::PathKind::file) stale.push_back(part);
    if (is_physical_file(transport_, name, number) && generation_at(transport_, name) != mine) stale.push_back(name);
    if (stale.size() == before) break;
  }
  for (; !stale.empty(); stale.pop_back()) transport_.remove(stale.back());
  if (common_.fields > 0) return;
  const auto of_fields = fields_generation_at(transport_, fields_name(path_));
  if (of_fields && *of_fields != mine) transport_.remove(fields_name(path_));
}

// The rank with the tables of a part must know the owner of each of its tasks: the tasks of a rank end where those of
// the next begin.
std::vector<TaskEntry> AppendedSet::distribute_tasks(const SetTables& tables) {
  const Parts& parts = tables.parts;
  std::vector<std::vector<std::uint64_t>> ends;  // by part, for each rank that uses it
  const auto last = static_cast<std::uint64_t>(first_task_ + options_.streams);
  comm::MultiGather gatherer = comm::agree(all(), [&] {
    ends.resize(parts.count());
    for (std::size_t part = 0; part < parts.count(); ++part) {
      if (parts.users[part].first != all().rank()) continue;
      ends[part].reserve(static_cast<std::size_t>(parts.users[part].last - parts.users[part].first));
    }
    return comm::MultiGather(all(), parts.users, [&](std::size_t) { return comm::to_bytes(last); });
  });
  comm::agree(all(), [&] {
    comm::Values<std::uint64_t> values;
    gatherer.gather([&](std::size_t part, base::Bytes piece) {
      values.take(part, piece, [&](std::uint64_t end) { ends[part].push_back(end); });
    });
  });
  comm::MultiScatter scatter = comm::agree(all(), [&] {
    std::vector<comm::ScatterItem> items;
    for (const comm::GatherItem& users : parts.users) items.push_back({users.first, users.first, users.last});
    return comm::MultiScatter(all(), std::move(items), [&](std::size_t part, int rank) {
      const auto number = static_cast<std::size_t>(rank - parts.users[part].first);
      const std::uint64_t begin = number == 0 ? static_cast<std::uint64_t>(first_task_) : ends[part][number - 1];
      const std::uint64_t end = std::min(ends[part][number], parts.tasks[part + 1]);
      std::vector<TaskEntry> entries;
      for (std::uint64_t task = std::max(begin, parts.tasks[part]); task < end; ++task) {
        entries.push_back(tables.mine.at(part).entry(task - parts.tasks[part]));
      }
      return comm::packed(entries);
    });
  });
  return comm::agree(all(), [&] {
    std::vector<TaskEntry> mine;
    for (const comm::ScatteredPart& dealt : scatter.run()) {
      std::vector<TaskEntry> entries;
      base::Bytes bytes = dealt.bytes;
      if (!bytes.empty()) comm::unpack(bytes, entries);
      std::ranges::move(entries, std::back_inserter(mine));
    }
    return mine;
  });
}

// New tasks make one additional physical file; two if the record does not fit into a single file with all these tasks.
// They belong to the set when it is closed.
void AppendedSet::plan_new_files() {
  std::int64_t first = common_.tasks;
  comm::agree(all(), [&] {
    const auto block = static_cast<std::uint64_t>(common_.block);
    for (const std::uint64_t tasks : roomy_parts(path_, block, static_cast<std::uint64_t>(new_tasks()))) {
      NewFile file;
      file.first = first;
      file.tasks = static_cast<std::int64_t>(tasks);
      const std::int64_t end = first + file.tasks;
      file.shape.first = std::clamp(first_task_, first, end);
      file.shape.count = static_cast<std::uint64_t>(std::clamp(first_task_ + options_.streams, file.shape.first, end) -
                                                    file.shape.first);
      file.shape.width = choose_width(options_.expected_bytes, block, options_.compression, frame_bound(settings()));
      new_files_.push_back(file);
      first = end;
    }
    files_.resize(all_files());
    claims_.resize(all_files());
  });
}

void AppendedSet::lay_out(std::size_t index) {
  NewFile& file = new_files_[index];
  const std::array<std::uint64_t, 2> mine{file.shape.count * file.shape.width,
                                          file.shape.count > 0 ? expected_of(options_) : 0};
  const comm::Sums widths = comm::exclusive_sums(all(), mine);
  const auto tasks = static_cast<std::int32_t>(file.tasks);
  file.record = record_;
  file.record.file = static_cast<std::uint32_t>(old_files() + index);
  file.record.tasks = static_cast<std::uint32_t>(tasks);
  file.start = sion::round_up(sion::head_bytes(tasks), static_cast<std::uint64_t>(common_.block));
  file.before = file.start + widths.before[0];
  file.skip = widths.total[0];
  comm::agree(all(), [&] {
    std::vector<std::byte> head = gather_head(all(), file.shape, static_cast<std::uint64_t>(tasks));
    if (all().rank() == 0) create_new_file(index, std::move(head), widths.total[1]);
  });
}

void AppendedSet::create_new_file(std::size_t index, std::vector<std::byte> bytes, std::uint64_t expected) {
  NewFile& file = new_files_[index];
  const std::size_t number = old_files() + index;
  io::require_target(transport_, sion::file_name(path_, static_cast<std::int32_t>(number)), false);
  sion::FixedHead head;
  head.tasks = static_cast<std::int32_t>(file.tasks);
  head.block_size = static_cast<std::int32_t>(common_.block);
  head.files = static_cast<std::int32_t>(all_files());
  head.file_number = static_cast<std::int32_t>(number);
  head.prefix = prefix_;
  files_[number] = create_file_of_tasks(file_path(number), expected);
  write_head(*files_[number], head, std::move(bytes), file.record);
  sync_head(*files_[number]);
}

std::string AppendedSet::file_path(std::size_t number) const {
  const std::string name = sion::file_name(path_, static_cast<std::int32_t>(number));
  return number < old_files() ? name : part_name(name, generation_);
}

storage::File& AppendedSet::file(std::size_t number) {
  auto& handle = files_[number];
  if (handle == nullptr) handle = transport_.open_write(file_path(number));
  return *handle;
}

void AppendedSet::open_streams(const std::vector<TaskEntry>& mine) {
  for (const TaskEntry& entry : mine) resume(entry);
  for (std::size_t index = 0; index < new_files_.size(); ++index) {
    const NewFile& one = new_files_[index];
    const std::size_t number = old_files() + index;
    for (std::uint64_t i = 0; i < one.shape.count; ++i) {
      const auto task = one.shape.first + static_cast<std::int64_t>(i);
      const StreamPlace place{{one.before + i * one.shape.width, one.shape.width, one.skip},
                              static_cast<std::uint32_t>(number),
                              static_cast<std::uint32_t>(task - one.first),
                              task};
      StreamSettings how = settings();
      how.claim = claim(number);
      how.folder = &transport_;
      streams_.push_back(std::make_unique<StreamWriter>(file(number), place, how));
    }
  }
}

// Every existing chunk needs its record, because nothing else describes its contents while the set is open.
void AppendedSet::resume(const TaskEntry& entry) {
  SetRecord record = record_;
  record.file = entry.place.file;
  storage::File& handle = file(entry.place.file);
  StreamSettings how = settings();
  how.claim = claim(entry.place.file);
  auto writer = std::make_unique<StreamWriter>(handle, entry.place, how);
  const auto records_of = [&](std::uint64_t chunk) { return read_chunk_records(handle, record, entry.place, chunk); };
  std::vector<std::int64_t> used = entry.used;
  // A last chunk that was started in vain, as on a full disk, has neither bytes nor records.
  while (used.size() > 1 && used.back() == 0 && records_of(used.size() - 1).empty()) used.pop_back();
  const std::uint64_t last = used.size() - 1;
  for (std::uint64_t chunk = 0; chunk <= last; ++chunk) {
    const auto bytes = static_cast<std::uint64_t>(used[chunk]);
    const auto found = records_of(chunk);
    const auto one = std::ranges::find(found, bytes, [](const RecordAt& at) { return at.record.used; });
    if (bytes == 0 && last == 0 && found.empty()) break;  // a task that wrote nothing
    if (one == found.end() || bytes == 0) refuse(handle, entry.place, chunk, bytes == 0);
    if (chunk == last) writer->resume(used, one->record, one->place);
  }
  streams_.push_back(std::move(writer));
}

void AppendedSet::refuse(const storage::File& handle, const StreamPlace& place, std::uint64_t chunk,
                         bool was_lost) const {
  base::fail(
      Code::unsupported, handle.path(),
      "cannot append: chunk {} of task {} {}, so its data could not be recovered if this run were interrupted. Run "
      "\"lq defrag {} -o NEW{}\" to save the remaining data as a new set, and append to that",
      chunk, place.number, was_lost ? "was lost" : "has no record that agrees with the table of chunks", path_,
      was_lost ? "" : " --no-verify");
}

// The record after the header of a file while the set belongs to this writer.
const SetRecord& AppendedSet::claim(std::size_t number) {
  std::optional<SetRecord>& mine = claims_[number];
  if (!mine) {
    mine = record_;
    storage::File& handle = file(number);
    const std::vector<std::byte> head = read_bytes(handle, 0, sion::longest_fixed_bytes);
    mine->tasks = static_cast<std::uint32_t>(sion::decode_fixed(head, handle.path()).tasks);
  }
  return *mine;
}

// Opens files by name: a replaced set belongs to no writer, and a client with an open file may still see
// its contents before the mark.
void AppendedSet::require_own() {
  for (std::size_t number = 0; number < all_files(); ++number) {
    if (!files_[number] && !kept_.contains(number)) continue;
    require_epoch(*transport_.open_read(file_path(number)), claim(number));
  }
}

// The table is removed after the mark is on disk, so that bytes after the chunks are never taken for chunk data.
void AppendedSet::mark_open() {
  comm::agree(all(), [&] {
    for (const auto& [number, kept] : kept_) require_epoch(file(number), kept.record);
    // A writer that was killed may not have synced its names.
    if (all().rank() == 0 && options_.sync != Sync::none) transport_.sync_directory(path_);
  });
  comm::agree(all(), [&] {
    for (auto& [number, kept] : kept_) {
      const sion::PhysicalFile& physical = *kept.physical;
      kept.record.epoch = common_.epoch;
      kept.record.blocks = static_cast<std::uint32_t>(physical.max_chunks);
      write_set_record(file(number), kept.record);
      open_again(file(number), physical.head.tasks, physical.head.metadata_order);
      file(number).sync();
      file(number).resize(physical.tail_offset);
    }
  });
}

FieldsWriter::Start AppendedSet::open_fields() {
  FieldsWriter::Start start;
  const auto open = [&] {
    if (fields_problem_) throw Error(*fields_problem_);
    start = common_.fields > 0 ? behind_fields(transport_, path_, generation_, common_.fields)
                               : create_fields(transport_, path_, generation_, options_.overwrite);
  };
  comm::share_from_root(all(), open, start);
  return start;
}

void AppendedSet::remove() {
  base::fail(Code::wrong_state, path_,
             "appended data are part of the set and cannot be discarded; close the set, or repair it later");
}

std::unique_ptr<NewSet> append_to_set(storage::Transport& transport, const std::string& path,
                                      const Communicator& communicator, const MultifileOptions& options) {
  return begin_set<AppendedSet>(transport, path, communicator, options);
}

}  // namespace lq::sets
