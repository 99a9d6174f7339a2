// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set that is gone on with where it lies. Rank 0 keeps its tables. Before the first byte that is new, all its files
// are marked as not closed, for the table of chunks is overwritten by chunks; the records hold what it held.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/new_set.hpp"
#include "checkpoint/open_set.hpp"
#include "checkpoint/part_name.hpp"
#include "checkpoint/shape.hpp"
#include "checkpoint/table_gathering.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/integers.hpp"

namespace lq::checkpoint {
namespace {

namespace sion = format::sion;

constexpr std::uint64_t files_offset = 28;  // of the number of physical files in a header

// What all ranks must know of the set.
struct Common {
  RecordBytes record{};
  std::int64_t tasks = 0;
  std::int64_t files = 0;
  std::int64_t block = 0;
};

class AppendedSet final : public NewSet {
 public:
  AppendedSet(transport::Transport& transport, const std::string& path, const Communicator& communicator,
              const MultifileOptions& options);

 private:
  // What became of a stream that was gone on with.
  struct Grown {
    std::uint64_t task, size, chunks;
  };
  // All of the set, on rank 0.
  struct Streams {
    sion::ChunkTable table;
    std::vector<std::uint64_t> sizes;
  };

  void find();
  void number_tasks();
  std::vector<TaskEntry> deal_out();
  void lay_out_new_file();
  void open_streams(const std::vector<TaskEntry>& mine);
  void resume(const TaskEntry& entry);
  void mark_open();
  transport::File& file(std::size_t number);
  std::string file_path(std::size_t number) const;

  void finish() override;
  Streams join(std::vector<Grown> grown, std::vector<std::int64_t> chunks) const;
  void close_new_file(const Streams& streams);
  void close_old_file(std::size_t number, const Streams& streams);
  sion::Tail tail_of(std::size_t number, const Streams& streams) const;
  void remove() override;
  std::string whereabouts() const override { return path_; }

  std::int64_t new_tasks() const noexcept { return tasks_ - common_.tasks; }
  std::size_t all_files() const noexcept { return static_cast<std::size_t>(common_.files) + (new_tasks() > 0 ? 1 : 0); }

  FoundSet found_;  // on rank 0
  Common common_;
  SetRecord record_;
  std::int64_t first_task_ = 0;  // of this rank
  TaskShape new_shape_;          // of its new tasks
  std::uint64_t new_start_ = 0, new_before_ = 0, new_skip_ = 0;
  SetRecord new_record_;
  std::vector<std::unique_ptr<transport::File>> handles_;
};

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
               found_.set.files().front().head.block_size};
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

// Number, size and chunks of each stream go to rank 0, which has those that nobody went on with.
void AppendedSet::finish() {
  comm::agree(all(), [&] {
    if (all().rank() == 0) return;
    for (const auto& handle : handles_) {
      if (handle == nullptr) continue;
      if (options_.sync != Sync::none) handle->sync();
      handle->close();
    }
  });
  std::vector<Grown> mine, grown;
  std::vector<std::int64_t> my_chunks, chunks;
  for (const auto& stream : streams_) {
    mine.push_back({static_cast<std::uint64_t>(stream->task()), stream->size(), stream->used().size()});
    my_chunks.insert(my_chunks.end(), stream->used().begin(), stream->used().end());
  }
  comm::agree(all(), [&] {
    comm::gather_records(all(), std::span<const Grown>(mine), 0, [&](const Grown& one) { grown.push_back(one); });
  });
  comm::agree(all(), [&] {
    comm::gather_records(all(), std::span<const std::int64_t>(my_chunks), 0,
                         [&](std::int64_t used) { chunks.push_back(used); });
    if (all().rank() != 0) return;
    const Streams streams = join(std::exchange(grown, {}), std::exchange(chunks, {}));
    if (new_tasks() > 0) close_new_file(streams);
    for (auto number = static_cast<std::size_t>(common_.files); number-- > 0;) close_old_file(number, streams);
  });
}

// What the set had, and what has become of the streams that were gone on with.
AppendedSet::Streams AppendedSet::join(std::vector<Grown> grown, std::vector<std::int64_t> chunks) const {
  Streams streams{{}, std::vector<std::uint64_t>(static_cast<std::size_t>(tasks_))};
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(tasks_));
  for (std::int32_t task = 0; task < found_.set.tasks(); ++task) {
    counts[static_cast<std::size_t>(task)] = found_.set.chunks(task);
    streams.sizes[static_cast<std::size_t>(task)] = found_.stream_bytes(task);
  }
  for (const Grown& one : grown) {
    counts[one.task] = one.chunks;
    streams.sizes[one.task] = one.size;
  }
  streams.table = sion::ChunkTable(counts);
  for (std::int32_t task = 0; task < found_.set.tasks(); ++task) {
    const std::span<std::int64_t> used = streams.table.used(task);
    for (std::uint64_t chunk = 0; chunk < std::min<std::uint64_t>(used.size(), found_.set.chunks(task)); ++chunk) {
      used[chunk] = static_cast<std::int64_t>(found_.set.used(task, chunk));
    }
  }
  auto next = chunks.begin();
  for (const Grown& one : grown) {
    std::copy_n(next, one.chunks, streams.table.used(static_cast<std::int32_t>(one.task)).begin());
    next += static_cast<std::ptrdiff_t>(one.chunks);
  }
  return streams;
}

sion::Tail AppendedSet::tail_of(std::size_t number, const Streams& streams) const {
  const auto old_tasks = static_cast<std::size_t>(common_.tasks);
  std::vector<std::size_t> numbers;  // in the set, of the tasks of this file
  if (number == static_cast<std::size_t>(common_.files)) {
    for (std::size_t task = old_tasks; task < streams.sizes.size(); ++task) numbers.push_back(task);
  } else {
    numbers.resize(static_cast<std::size_t>(found_.set.files()[number].geometry.tasks()));
    for (std::size_t task = 0; task < old_tasks; ++task) {
      const sion::Place place = found_.set.place(static_cast<std::int32_t>(task));
      if (static_cast<std::size_t>(place.file) == number) numbers[static_cast<std::size_t>(place.task)] = task;
    }
  }
  std::vector<std::uint64_t> counts;
  for (const std::size_t task : numbers) counts.push_back(streams.table.count(static_cast<std::int32_t>(task)));
  sion::Tail tail;
  tail.table = sion::ChunkTable(counts);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::ranges::copy(streams.table.used(static_cast<std::int32_t>(numbers[i])),
                      tail.table.used(static_cast<std::int32_t>(i)).begin());
  }
  if (number > 0 || all_files() == 1) return tail;
  tail.map.emplace();
  for (std::size_t task = 0; task < streams.sizes.size(); ++task) {
    tail.map->push_back(task < old_tasks ? found_.set.place(static_cast<std::int32_t>(task))
                                         : sion::Place{static_cast<std::int32_t>(common_.files),
                                                       static_cast<std::int32_t>(task - old_tasks)});
  }
  return tail;
}

void AppendedSet::close_new_file(const Streams& streams) {
  const auto number = static_cast<std::size_t>(common_.files);
  Closing closing;
  closing.record = new_record_;
  closing.tail = tail_of(number, streams);
  if (options_.compression != Compression::none) {
    closing.sizes.assign(streams.sizes.begin() + static_cast<std::ptrdiff_t>(common_.tasks), streams.sizes.end());
  }
  closing.start = new_start_;
  closing.skip = new_skip_;
  close_file(file(number), closing);
  file(number).sync();
  file(number).close();
  transport_.publish(file_path(number), sion::file_name(path_, static_cast<std::int32_t>(number)));
  transport_.sync_directory(path_);
}

void AppendedSet::close_old_file(std::size_t number, const Streams& streams) {
  const sion::PhysicalFile& physical = found_.set.files()[number];
  if (new_tasks() > 0) {
    std::array<std::byte, 4> files{};
    sion::store_int32(files.data(), static_cast<std::int32_t>(all_files()), physical.head.metadata_order);
    file(number).write_at(files_offset, files);
  }
  Closing closing;
  closing.record = found_.records[number];
  closing.tail = tail_of(number, streams);
  closing.start = physical.geometry.start(0);
  closing.skip = physical.geometry.skip();
  closing.order = physical.head.metadata_order;
  closing.was_published = true;
  if (options_.compression != Compression::none) {
    closing.sizes.resize(closing.record.tasks);
    for (std::size_t task = 0; task < static_cast<std::size_t>(common_.tasks); ++task) {
      const sion::Place place = found_.set.place(static_cast<std::int32_t>(task));
      if (static_cast<std::size_t>(place.file) == number)
        closing.sizes[static_cast<std::size_t>(place.task)] = streams.sizes[task];
    }
  }
  close_file(file(number), closing);
  file(number).sync();
  file(number).close();
}

void AppendedSet::remove() {
  throw Error(Code::wrong_state,
              fmt::format("{}: what was appended to a set is part of it; close it, or repair it later", path_),
              {.path = path_});
}

}  // namespace

std::unique_ptr<NewSet> append_to_set(transport::Transport& transport, const std::string& path,
                                      const Communicator& communicator, const MultifileOptions& options) {
  return std::make_unique<AppendedSet>(transport, path, communicator, options);
}

}  // namespace lq::checkpoint
