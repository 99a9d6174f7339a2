// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Closes a set after appending: fields and the new file first, then the existing files, file 0 last.
#include <array>
#include <numeric>
#include <span>

#include "comm/agree.hpp"
#include "comm/multi_root.hpp"
#include "comm/tree.hpp"
#include "comm/wire.hpp"
#include "format/sion/head.hpp"
#include "format/sion/set.hpp"
#include "sets/checkpoint/appended_set.hpp"
#include "sets/checkpoint/closing.hpp"
#include "storage/owners.hpp"

namespace lq::sets {

namespace sion = format::sion;

void AppendedSet::publish_fields() {
  if (!fields_ || fields_->at() == fields_->name()) return;
  if (fields() == 0) return transport_.remove(fields_->at());  // the writes of the first fields failed
  give_name(transport_, path_, fields_->at(), fields_->name(), options_.overwrite);
  transport_.sync_directory(path_);
}

// The final state of each stream goes to the rank that keeps the tables of its file, which has those of unchanged
// streams. All files are complete again when file 0 is.
void AppendedSet::finish() {
  const auto keeps = [&](std::size_t number) {
    return number < old_files() ? kept_.contains(number) : all().rank() == 0;
  };
  comm::agree(all(), [&] {
    for (std::size_t number = 0; number < files_.size(); ++number) {
      if (files_[number] == nullptr || keeps(number)) continue;
      if (options_.sync != Sync::none) files_[number]->sync();
      files_[number]->close();
      files_[number].reset();
    }
  });
  const std::map<std::size_t, Grown> grown = gather_grown();
  const std::vector<Grown> added = gather_new();
  comm::agree(all(), [&] { require_own(); });
  comm::agree_at_root(all(), [&] {
    for (std::size_t index = 0; index < new_files_.size(); ++index) close_new_file(index, added[index]);
    publish_fields();
  });
  comm::agree(all(), [&] {
    for (auto one = grown.rbegin(); one != grown.rend() && one->first > 0; ++one)
      close_old_file(one->first, one->second);
  });
  comm::agree(all(), [&] {
    if (grown.contains(0)) close_old_file(0, grown.at(0));
  });
  send_ends();
}

// Informs clients that have used the files; done by the ranks that keep the files and wrote last.
void AppendedSet::send_ends() {
  if (!storage::owners_in_folder(all(), transport_, path_).have_incoherent_caches()) return;
  const auto name = [&](std::size_t number) { return sion::file_name(path_, static_cast<std::int32_t>(number)); };
  std::vector<std::uint64_t> ends = comm::agree(all(), [&] {
    std::vector<std::uint64_t> mine(all_files());
    const auto look = [&](std::size_t number) { mine[number] = transport_.open_read(name(number))->size(); };
    for (const auto& [number, kept] : kept_) look(number);
    for (std::size_t number = old_files(); all().rank() == 0 && number < all_files(); ++number) look(number);
    return mine;
  });
  all().all_reduce(ends, comm::Reduce::max);
  comm::agree(all(), [&] {
    for (std::size_t number = 0; number < all_files(); ++number) {
      if (claims_[number]) storage::tell_size(*transport_.open_write(name(number)), ends[number]);
    }
  });
}

namespace {

// A stream as numbers: task, size, number of chunks, and bytes in each.
void put(std::vector<std::uint64_t>& numbers, std::uint64_t task, const StreamWriter& stream) {
  numbers.insert(numbers.end(), {task, stream.size(), std::uint64_t{stream.used().size()}});
  for (const std::int64_t used : stream.used()) numbers.push_back(static_cast<std::uint64_t>(used));
}

template <class Each>
void for_each_stream(const std::vector<std::uint64_t>& numbers, const Each& each) {
  for (std::size_t at = 0; at < numbers.size(); at += 3 + numbers[at + 2]) {
    each(numbers[at], numbers[at + 1], std::span(numbers).subspan(at + 3, numbers[at + 2]));
  }
}

}  // namespace

std::map<std::size_t, AppendedSet::Grown> AppendedSet::gather_grown() {
  std::map<std::size_t, std::vector<std::uint64_t>> numbers;  // by part
  comm::MultiGather gatherer = comm::agree(all(), [&] {
    return comm::MultiGather(all(), parts_.users, [&](std::size_t part) {
      std::vector<std::uint64_t> mine;
      for (const auto& stream : streams_) {
        const auto task = static_cast<std::uint64_t>(stream->task());
        if (task >= parts_.tasks[part] && task < parts_.tasks[part + 1]) put(mine, task, *stream);
      }
      std::vector<std::byte> bytes;
      comm::append_all(bytes, std::span(mine));
      return bytes;
    });
  });
  return comm::agree(all(), [&] {
    comm::Values<std::uint64_t> values;
    gatherer.gather([&](std::size_t part, base::Bytes piece) {
      values.take(part, piece, [&](std::uint64_t number) { numbers[part].push_back(number); });
    });
    std::map<std::size_t, Grown> grown;
    for (const auto& [number, kept] : kept_) {
      grown[number] = {kept.sizes, std::vector<std::vector<std::int64_t>>(kept.sizes.size())};
    }
    for (const auto& one : numbers) {
      const std::size_t part = one.first;
      for_each_stream(one.second, [&](std::uint64_t task, std::uint64_t size, std::span<const std::uint64_t> used) {
        const sion::Place place = parts_.count() > 1 ? sion::Place{static_cast<std::int32_t>(part),
                                                                   static_cast<std::int32_t>(task - parts_.tasks[part])}
                                                     : kept_.at(0).map[task];
        Grown& file = grown.at(static_cast<std::size_t>(place.file));
        file.sizes[static_cast<std::size_t>(place.task)] = size;
        file.used[static_cast<std::size_t>(place.task)].assign(used.begin(), used.end());
      });
    }
    return grown;
  });
}

// On rank 0 the streams of each new file.
std::vector<AppendedSet::Grown> AppendedSet::gather_new() {
  std::vector<std::uint64_t> mine, numbers;
  comm::agree(all(), [&] {
    for (const auto& stream : streams_) {
      if (stream->task() >= common_.tasks) put(mine, static_cast<std::uint64_t>(stream->task()), *stream);
    }
  });
  return comm::agree(all(), [&] {
    comm::gather_records(all(), std::span<const std::uint64_t>(mine), 0,
                         [&](std::uint64_t number) { numbers.push_back(number); });
    std::vector<Grown> added(new_files_.size());
    for_each_stream(numbers, [&](std::uint64_t task, std::uint64_t size, std::span<const std::uint64_t> used) {
      std::size_t index = 0;
      while (static_cast<std::int64_t>(task) >= new_files_[index].first + new_files_[index].tasks) ++index;
      added[index].sizes.push_back(size);
      added[index].used.emplace_back(used.begin(), used.end());
    });
    return added;
  });
}

// Of the existing tasks and the new ones.
std::vector<sion::Place> AppendedSet::map_of_all(const KeptFile& kept) const {
  std::vector<sion::Place> map = kept.map;
  for (std::size_t index = 0; index < new_files_.size(); ++index) {
    for (std::int64_t task = 0; task < new_files_[index].tasks; ++task) {
      map.push_back({static_cast<std::int32_t>(old_files() + index), static_cast<std::int32_t>(task)});
    }
  }
  return map;
}

void AppendedSet::close_new_file(std::size_t index, const Grown& streams) {
  const NewFile& one = new_files_[index];
  const std::size_t number = old_files() + index;
  Closing closing;
  closing.record = one.record;
  closing.tail.table = sion::ChunkTable::of(streams.used);
  if (options_.compression != Compression::none) closing.sizes = streams.sizes;
  closing.start = one.start;
  closing.skip = one.skip;
  close_file(file(number), closing);
  file(number).sync();
  file(number).close();
  give_name(transport_, path_, file_path(number), sion::file_name(path_, static_cast<std::int32_t>(number)), false);
  transport_.sync_directory(path_);
}

void AppendedSet::close_old_file(std::size_t number, const Grown& streams) {
  const KeptFile& kept = kept_.at(number);
  const sion::PhysicalFile& physical = *kept.physical;
  if (new_tasks() > 0) {
    std::array<std::byte, 4> files{};
    sion::store_int32(files.data(), static_cast<std::int32_t>(all_files()), physical.head.metadata_order);
    file(number).write_at(files_offset, files);
  }
  Closing closing = closing_of(physical, kept.record);
  std::vector<std::int32_t> tasks(streams.used.size());
  std::iota(tasks.begin(), tasks.end(), 0);
  closing.tail.table = sion::ChunkTable::of(tasks, [&](std::int32_t task) -> std::span<const std::int64_t> {
    const std::vector<std::int64_t>& now = streams.used[static_cast<std::size_t>(task)];
    return now.empty() ? physical.table.used(task) : std::span(now);
  });
  if (number == 0 && all_files() > 1) closing.tail.map = map_of_all(kept);
  closing.was_published = true;
  if (number == 0) closing.fields = static_cast<std::uint32_t>(fields());
  if (options_.compression != Compression::none) closing.sizes = streams.sizes;
  close_file(file(number), closing);
  file(number).sync();
  file(number).close();
}

}  // namespace lq::sets
