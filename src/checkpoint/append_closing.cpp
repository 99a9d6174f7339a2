// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a set that was gone on with is closed: fields and the new file first, then the files there were, file 0 last.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "checkpoint/appended_set.hpp"
#include "checkpoint/closing.hpp"
#include "checkpoint/publishing.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "format/sion/integers.hpp"
#include "format/sion/names.hpp"

namespace lq::checkpoint {

namespace sion = format::sion;

void AppendedSet::publish_fields() {
  if (!fields_ || fields_->at() == fields_->name()) return;
  if (fields() == 0) return transport_.remove(fields_->at());  // those that were to be written failed
  give_name(transport_, path_, fields_->at(), fields_->name(), false);
  transport_.sync_directory(path_);
}

// Number, size and chunks of each stream go to rank 0, which has those that nobody went on with.
void AppendedSet::finish() {
  comm::agree(all(), [&] {
    if (all().rank() == 0) return;
    for (const auto& handle : files_) {
      if (handle == nullptr) continue;
      if (options_.sync != Sync::none) handle->sync();
      handle->close();
    }
  });
  std::vector<Grown> mine, grown;
  std::vector<std::int64_t> my_chunks, chunks;
  comm::agree(all(), [&] {
    for (const auto& stream : streams_) {
      mine.push_back({static_cast<std::uint64_t>(stream->task()), stream->size(), stream->used().size()});
      my_chunks.insert(my_chunks.end(), stream->used().begin(), stream->used().end());
    }
  });
  comm::agree(all(), [&] {
    comm::gather_records(all(), std::span<const Grown>(mine), 0, [&](const Grown& one) { grown.push_back(one); });
  });
  comm::agree(all(), [&] {
    comm::gather_records(all(), std::span<const std::int64_t>(my_chunks), 0,
                         [&](std::int64_t used) { chunks.push_back(used); });
  });
  comm::agree_at_root(all(), [&] {
    require_own();
    const Streams streams = join(std::exchange(grown, {}), std::exchange(chunks, {}));
    for (std::size_t index = 0; index < new_files_.size(); ++index) close_new_file(index, streams);
    publish_fields();
    for (std::size_t number = old_files(); number-- > 0;) close_old_file(number, streams);
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
  if (number >= old_files()) {
    const NewFile& one = new_files_[number - old_files()];
    numbers.resize(static_cast<std::size_t>(one.tasks));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::size_t>(one.first));
  } else {
    numbers.resize(static_cast<std::size_t>(found_.set.files()[number].geometry.tasks()));
    for (std::size_t task = 0; task < old_tasks; ++task) {
      const sion::Place place = found_.set.place(static_cast<std::int32_t>(task));
      if (static_cast<std::size_t>(place.file) == number) numbers[static_cast<std::size_t>(place.task)] = task;
    }
  }
  sion::Tail tail;
  tail.table = sion::ChunkTable::of(
      numbers, [&](std::size_t task) { return streams.table.used(static_cast<std::int32_t>(task)); });
  if (number > 0 || all_files() == 1) return tail;
  tail.map = found_.set.places();
  for (std::size_t index = 0; index < new_files_.size(); ++index) {
    for (std::int64_t task = 0; task < new_files_[index].tasks; ++task) {
      tail.map->push_back({static_cast<std::int32_t>(old_files() + index), static_cast<std::int32_t>(task)});
    }
  }
  return tail;
}

void AppendedSet::close_new_file(std::size_t index, const Streams& streams) {
  const NewFile& one = new_files_[index];
  const std::size_t number = old_files() + index;
  Closing closing;
  closing.record = one.record;
  closing.tail = tail_of(number, streams);
  if (options_.compression != Compression::none) {
    closing.sizes.assign(streams.sizes.begin() + one.first, streams.sizes.begin() + one.first + one.tasks);
  }
  closing.start = one.start;
  closing.skip = one.skip;
  close_file(file(number), closing);
  file(number).sync();
  file(number).close();
  give_name(transport_, path_, file_path(number), sion::file_name(path_, static_cast<std::int32_t>(number)), false);
  transport_.sync_directory(path_);
}

void AppendedSet::close_old_file(std::size_t number, const Streams& streams) {
  const sion::PhysicalFile& physical = found_.set.files()[number];
  if (new_tasks() > 0) {
    std::array<std::byte, 4> files{};
    sion::store_int32(files.data(), static_cast<std::int32_t>(all_files()), physical.head.metadata_order);
    file(number).write_at(files_offset, files);
  }
  Closing closing = closing_of(physical, found_.records[number]);
  closing.tail = tail_of(number, streams);
  closing.was_published = true;
  if (number == 0) closing.fields = static_cast<std::uint32_t>(fields());
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

}  // namespace lq::checkpoint
