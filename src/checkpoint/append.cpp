// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a set that is gone on with is opened.
#include "checkpoint/appended_set.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/publishing.hpp"
#include "checkpoint/shape.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/integers.hpp"
#include "io/new_file.hpp"

namespace lq::checkpoint {

namespace sion = format::sion;

void AppendedSet::begin() {
  comm::require_same(all(), [&] { return stated(path_, options_); });
  find();
  number_tasks();
  const std::vector<TaskEntry> mine = deal_out();
  plan_new_files();
  for (std::size_t index = 0; index < new_files_.size(); ++index) lay_out(index);
  comm::agree(all(), [&] { open_streams(mine); });
  mark_open();
}

void AppendedSet::find() {
  comm::agree_at_root(all(), [&] {
    found_ = find_set(transport_, path_);
    const auto refuse = [&](Code code, const std::string& what) {
      throw Error(code, fmt::format("{}: {}", path_, what), {.path = path_});
    };
    if (!found_.has_records()) {
      refuse(Code::unsupported,
             fmt::format("the set was written by another program, without the records that keep it recoverable "
                         "while it grows; \"lq defrag {} -o NEW --checkpoint\" makes a set of it that has them",
                         path_));
    }
    if (!found_.is_named()) refuse(Code::wrong_state, "the set was not published completely; repair it first");
    if (found_.has_problems()) refuse(Code::wrong_state, "the record behind a header is damaged; repair it first");
    require_no_losses();
    const auto count = [](const SetRecord& record) { return record.epoch.count; };
    common_ = {encode(found_.records.front()),
               found_.set.tasks(),
               static_cast<std::int64_t>(found_.set.files().size()),
               found_.set.files().front().head.block_size,
               epoch_after(std::ranges::max(found_.records, {}, count).epoch),
               found_.fields};
    remove_stale_files();
  });
  all().broadcast(std::as_writable_bytes(std::span(&common_, 1)), 0);
  record_ = *decode_set_record(common_.record);
  record_.epoch = common_.epoch;
  record_.blocks = 0;
  generation_ = record_.generation;
  options_.compression = record_.compression;
  options_.checksums = record_.checksums;
  comm::agree(all(), [&] { require_options(options_, path_); });
}

// A stream goes on where it ends, and where this one ended is not there.
void AppendedSet::require_no_losses() const {
  for (std::size_t file = 0; file < found_.losses.size(); ++file) {
    if (found_.losses[file].empty()) continue;
    throw Error(Code::unsupported,
                fmt::format("{}, so the set is not gone on with; \"lq defrag {} -o NEW --no-verify\" writes a set with "
                            "what there is, which can be",
                            found_.describe(found_.losses[file].front(), static_cast<std::int32_t>(file)), path_),
                {.path = path_});
  }
}

// Of attempts that failed before they changed the set, and of a set that this one replaced, whose files its writer did
// not live to remove. The last first, so that none is left behind a gap.
void AppendedSet::remove_stale_files() {
  const Generation& mine = found_.records.front().generation;
  std::vector<std::string> stale;
  for (auto number = static_cast<std::int32_t>(common_.files);; ++number) {
    const std::string name = sion::file_name(path_, number), part = part_name(name, mine);
    const std::size_t before = stale.size();
    if (transport_.kind(part) == transport::PathKind::file) stale.push_back(part);
    if (is_physical_file(transport_, name, number) && generation_at(transport_, name) != mine) stale.push_back(name);
    if (stale.size() == before) break;
  }
  for (; !stale.empty(); stale.pop_back()) transport_.remove(stale.back());
  if (common_.fields > 0) return;
  const auto of_fields = fields_generation_at(transport_, fields_name(path_));
  if (of_fields && *of_fields != mine) transport_.remove(fields_name(path_));
}

void AppendedSet::number_tasks() {
  const auto mine = static_cast<std::uint64_t>(options_.streams);
  const comm::Sums sums = comm::exclusive_sums(all(), std::span(&mine, 1));
  first_task_ = static_cast<std::int64_t>(sums.before[0]);
  tasks_ = std::max(common_.tasks, static_cast<std::int64_t>(sums.total[0]));
  comm::agree_alike(all(), [&] {
    if (tasks_ <= std::numeric_limits<std::int32_t>::max()) return;
    throw Error(Code::invalid_argument, fmt::format("{}: {} tasks; a set has less than 2^31", path_, tasks_),
                {.path = path_});
  });
}

std::vector<TaskEntry> AppendedSet::deal_out() {
  // The tasks of a rank end where those of the next begin.
  const auto last = static_cast<std::uint64_t>(first_task_ + options_.streams);
  std::vector<std::uint64_t> ends;
  std::vector<TaskEntry> mine;
  comm::agree(all(), [&] {
    comm::gather_records(all(), std::span(&last, 1), 0, [&](std::uint64_t end) { ends.push_back(end); });
  });
  comm::agree(all(), [&] {
    const std::vector<std::byte> bytes = all().scatter_parts(
        [&](int rank) {
          const auto number = static_cast<std::size_t>(rank);
          std::vector<TaskEntry> entries;
          const std::uint64_t end = std::min(ends[number], static_cast<std::uint64_t>(common_.tasks));
          for (std::uint64_t task = number == 0 ? 0 : ends[number - 1]; task < end; ++task) {
            entries.push_back(entry_of(found_, static_cast<std::int32_t>(task)));
          }
          return pack(entries);
        },
        0);
    if (!bytes.empty()) mine = unpack_entries(bytes);
  });
  return mine;
}

// New tasks make a further physical file; two where one of so many tasks has no room for its record. They belong to the
// set when the set is closed.
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
  const std::uint64_t mine = file.shape.count * file.shape.width;
  const comm::Sums widths = comm::exclusive_sums(all(), std::span(&mine, 1));
  const auto tasks = static_cast<std::int32_t>(file.tasks);
  file.record = record_;
  file.record.file = static_cast<std::uint32_t>(old_files() + index);
  file.record.tasks = static_cast<std::uint32_t>(tasks);
  file.start = sion::round_up(sion::head_bytes(tasks), static_cast<std::uint64_t>(common_.block));
  file.before = file.start + widths.before[0];
  file.skip = widths.total[0];
  comm::agree(all(), [&] {
    std::vector<std::byte> head = gather_head(all(), file.shape, static_cast<std::uint64_t>(tasks));
    if (all().rank() == 0) create_new_file(index, std::move(head));
  });
}

void AppendedSet::create_new_file(std::size_t index, std::vector<std::byte> bytes) {
  NewFile& file = new_files_[index];
  const std::size_t number = old_files() + index;
  io::require_target(transport_, sion::file_name(path_, static_cast<std::int32_t>(number)), false);
  sion::FixedHead head;
  head.tasks = static_cast<std::int32_t>(file.tasks);
  head.block_size = static_cast<std::int32_t>(common_.block);
  head.files = static_cast<std::int32_t>(all_files());
  head.file_number = static_cast<std::int32_t>(number);
  head.prefix = found_.set.files().front().head.prefix;
  files_[number] = create_part(transport_, path_, file_path(number));
  write_head(*files_[number], head, std::move(bytes), file.record);
}

std::string AppendedSet::file_path(std::size_t number) const {
  const std::string name = sion::file_name(path_, static_cast<std::int32_t>(number));
  return number < old_files() ? name : part_name(name, generation_);
}

transport::File& AppendedSet::file(std::size_t number) {
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
      streams_.push_back(std::make_unique<StreamWriter>(file(number), place, how));
    }
  }
}

// Every chunk there is must have its record: while the set is open nothing else tells what is in it.
void AppendedSet::resume(const TaskEntry& entry) {
  SetRecord record = record_;
  record.file = entry.place.file;
  transport::File& handle = file(entry.place.file);
  StreamSettings how = settings();
  how.claim = claim(entry.place.file);
  auto writer = std::make_unique<StreamWriter>(handle, entry.place, how);
  const auto records_of = [&](std::uint64_t chunk) { return read_chunk_records(handle, record, entry.place, chunk); };
  std::vector<std::int64_t> used = entry.used;
  // A last chunk that was begun in vain, as on a full disk, has neither bytes nor records.
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

void AppendedSet::refuse(const transport::File& handle, const StreamPlace& place, std::uint64_t chunk,
                         bool was_lost) const {
  throw Error(Code::unsupported,
              fmt::format("{}: chunk {} of task {} {}, so what is there could not be recovered while the set is open; "
                          "\"lq defrag {} -o NEW{}\" writes a set with what there is, which can be gone on with",
                          handle.path(), chunk, place.number,
                          was_lost ? "was lost" : "has no record that agrees with the table of chunks", path_,
                          was_lost ? "" : " --no-verify"),
              {.path = handle.path()});
}

// What the record behind the header of a file is as long as the set is this writer's.
const SetRecord& AppendedSet::claim(std::size_t number) {
  std::optional<SetRecord>& mine = claims_[number];
  if (!mine) {
    mine = record_;
    transport::File& handle = file(number);
    const std::vector<std::byte> head = read_bytes(handle, 0, sion::longest_fixed_bytes);
    mine->tasks = static_cast<std::uint32_t>(sion::decode_fixed(head, handle.path()).tasks);
  }
  return *mine;
}

// Also by their names: a set that was replaced is nobody's any more.
void AppendedSet::require_own() {
  for (std::size_t number = 0; number < all_files(); ++number) {
    if (files_[number]) require_epoch(*files_[number], claim(number));
  }
  for (std::size_t number = 0; all().rank() == 0 && number < old_files(); ++number) {
    require_epoch(*transport_.open_read(file_path(number)), claim(number));
  }
}

// The table goes once the mark is on the disk, so that what stands behind the chunks is never taken for bytes of one.
void AppendedSet::mark_open() {
  comm::agree_at_root(all(), [&] {
    for (std::size_t number = 0; number < old_files(); ++number) require_epoch(file(number), found_.records[number]);
    for (std::size_t number = 0; number < old_files(); ++number) {
      const sion::PhysicalFile& physical = found_.set.files()[number];
      SetRecord& record = found_.records[number];
      record.epoch = common_.epoch;
      record.blocks = static_cast<std::uint32_t>(physical.max_chunks);
      write_set_record(file(number), record);
      open_again(file(number), physical.head.tasks, physical.head.metadata_order);
      file(number).sync();
      file(number).resize(physical.tail_offset);
    }
  });
}

FieldsWriter::Start AppendedSet::open_fields() {
  FieldsWriter::Start start;
  comm::agree_at_root(all(), [&] {
    if (found_.fields_problem) throw Error(*found_.fields_problem);
    start = common_.fields > 0 ? behind_fields(transport_, path_, generation_, common_.fields)
                               : create_fields(transport_, path_, generation_, false);
  });
  share(all(), start);
  return start;
}

void AppendedSet::remove() {
  throw Error(Code::wrong_state,
              fmt::format("{}: what was appended to a set is part of it; close it, or repair it later", path_),
              {.path = path_});
}

std::unique_ptr<NewSet> append_to_set(transport::Transport& transport, const std::string& path,
                                      const Communicator& communicator, const MultifileOptions& options) {
  auto set = comm::agree(communicator.engine(),
                         [&] { return std::make_unique<AppendedSet>(transport, path, communicator, options); });
  set->begin();
  return set;
}

}  // namespace lq::checkpoint
