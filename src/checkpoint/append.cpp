// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See appended_set.hpp; how it is opened.
#include "checkpoint/appended_set.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/part_name.hpp"
#include "checkpoint/shape.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/integers.hpp"

namespace lq::checkpoint {

namespace sion = format::sion;

AppendedSet::AppendedSet(transport::Transport& transport, const std::string& path, const Communicator& communicator,
                         const MultifileOptions& options)
    : NewSet(transport, path, communicator, options) {
  comm::require_same(all(), std::vector<comm::Stated>{{"the path", path}, {"the options", describe(options)}});
  find();
  number_tasks();
  const std::vector<TaskEntry> mine = deal_out();
  lay_out_new_file();
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
             "the set was written by another program, without the records that keep it recoverable "
             "while it grows; read it and write a new one");
    }
    if (!found_.is_named()) refuse(Code::wrong_state, "the set was not published completely; repair it first");
    common_ = {encode(found_.records.front()), found_.set.tasks(), static_cast<std::int64_t>(found_.set.files().size()),
               found_.set.files().front().head.block_size, found_.fields};
  });
  all().broadcast(std::as_writable_bytes(std::span(&common_, 1)), 0);
  record_ = *decode_set_record(common_.record);
  generation_ = record_.generation;
  options_.compression = record_.compression;
  options_.checksums = record_.checksums;
  comm::agree(all(), [&] { require_options(options_, path_); });
}

void AppendedSet::number_tasks() {
  const auto mine = static_cast<std::uint64_t>(options_.streams);
  const comm::Sums sums = comm::exclusive_sums(all(), std::span(&mine, 1));
  first_task_ = static_cast<std::int64_t>(sums.before[0]);
  tasks_ = std::max(common_.tasks, static_cast<std::int64_t>(sums.total[0]));
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

// New tasks make a further physical file. It belongs to the set when the set is closed.
void AppendedSet::lay_out_new_file() {
  handles_.resize(static_cast<std::size_t>(common_.files) + 1);
  if (new_tasks() == 0) return;
  const auto block = static_cast<std::uint64_t>(common_.block);
  new_shape_.first = std::max(first_task_, common_.tasks);
  new_shape_.count =
      static_cast<std::uint64_t>(std::max<std::int64_t>(first_task_ + options_.streams - new_shape_.first, 0));
  comm::agree(all(), [&] {
    new_shape_.width = choose_width(options_.expected_bytes, block, options_.compression, frame_bound(settings()));
  });
  const std::uint64_t mine = new_shape_.count * new_shape_.width;
  const comm::Sums widths = comm::exclusive_sums(all(), std::span(&mine, 1));
  const auto tasks = static_cast<std::int32_t>(new_tasks());
  // The set record needs room; where it has none in front of the first chunk, that begins a block later for all files.
  new_start_ = sion::round_up(sion::head_bytes(tasks), block);
  new_before_ = new_start_ + widths.before[0];
  new_skip_ = widths.total[0];
  comm::agree(all(), [&] {
    std::vector<std::byte> bytes = gather_head(all(), new_shape_, static_cast<std::uint64_t>(tasks));
    if (all().rank() != 0) return;
    if (new_start_ - sion::head_bytes(tasks) < record_bytes) {
      throw Error(
          Code::unsupported,
          fmt::format("{}: {} new tasks leave no room for a record in blocks of {} bytes; add one more or one less",
                      path_, tasks, block),
          {.path = path_});
    }
    sion::FixedHead head;
    head.tasks = tasks;
    head.block_size = static_cast<std::int32_t>(block);
    head.files = static_cast<std::int32_t>(all_files());
    head.file_number = static_cast<std::int32_t>(common_.files);
    head.prefix = found_.set.files().front().head.prefix;
    put_fixed(head, bytes);
    new_record_ = record_;
    new_record_.file = static_cast<std::uint32_t>(common_.files);
    new_record_.tasks = static_cast<std::uint32_t>(tasks);
    new_record_.tables = tables_checksum(bytes, tasks);
    const RecordBytes record = encode(new_record_);
    bytes.insert(bytes.end(), record.begin(), record.end());
    const std::string part = file_path(static_cast<std::size_t>(common_.files));
    if (transport_.kind(part) == transport::PathKind::file) transport_.remove(part);  // of an attempt that failed
    handles_.back() = transport_.create(part);
    handles_.back()->write_at(0, bytes);
  });
}

std::string AppendedSet::file_path(std::size_t number) const {
  const std::string name = sion::file_name(path_, static_cast<std::int32_t>(number));
  return number < static_cast<std::size_t>(common_.files) ? name : part_name(name, generation_);
}

transport::File& AppendedSet::file(std::size_t number) {
  auto& handle = handles_[number];
  if (handle == nullptr) handle = transport_.open_write(file_path(number));
  return *handle;
}

void AppendedSet::open_streams(const std::vector<TaskEntry>& mine) {
  for (const TaskEntry& entry : mine) resume(entry);
  const auto number = static_cast<std::size_t>(common_.files);
  for (std::uint64_t i = 0; i < new_shape_.count; ++i) {
    const auto task = new_shape_.first + static_cast<std::int64_t>(i);
    const StreamPlace place{new_before_ + i * new_shape_.width,
                            new_shape_.width,
                            new_skip_,
                            static_cast<std::uint32_t>(number),
                            static_cast<std::uint32_t>(task - common_.tasks),
                            task};
    streams_.push_back(std::make_unique<StreamWriter>(file(number), place, settings()));
  }
}

// Every chunk there is must have its record: while the set is open nothing else tells what is in it.
void AppendedSet::resume(const TaskEntry& entry) {
  SetRecord record = record_;
  record.file = entry.place.file;
  transport::File& handle = file(entry.place.file);
  auto writer = std::make_unique<StreamWriter>(handle, entry.place, settings());
  const std::uint64_t last = entry.used.size() - 1;
  for (std::uint64_t chunk = 0; chunk <= last; ++chunk) {
    const auto used = static_cast<std::uint64_t>(entry.used[chunk]);
    const auto found = read_chunk_records(handle, record, entry.place, chunk);
    const auto one = std::ranges::find(found, used, [](const RecordAt& at) { return at.record.used; });
    if (used == 0 && last == 0 && found.empty()) break;  // a task that wrote nothing
    if (one == found.end() || used == 0) {
      throw Error(
          Code::unsupported,
          fmt::format("{}: chunk {} of task {} has no record that agrees with the table of chunks, or was lost: "
                      "what is there could not be recovered while the set is open; copy the set first",
                      handle.path(), chunk, entry.place.number),
          {.path = handle.path()});
    }
    if (chunk == last) writer->resume(entry.used, one->record, one->place);
  }
  streams_.push_back(std::move(writer));
}

void AppendedSet::mark_open() {
  comm::agree_at_root(all(), [&] {
    for (std::size_t number = 0; number < static_cast<std::size_t>(common_.files); ++number) {
      const sion::PhysicalFile& physical = found_.set.files()[number];
      open_again(file(number), physical.head.tasks, physical.head.metadata_order);
      file(number).sync();
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
  return std::make_unique<AppendedSet>(transport, path, communicator, options);
}

}  // namespace lq::checkpoint
