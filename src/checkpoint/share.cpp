// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which tasks and bytes a rank gets, and these on their way to it.
#include <algorithm>
#include <cstring>

#include <limequat/error.hpp>

#include "checkpoint/open_set.hpp"

namespace lq::checkpoint {
namespace {

// floor(total * part / parts) without overflow.
std::uint64_t portion(std::uint64_t total, int part, int parts) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(total) * static_cast<unsigned>(part) /
                                    static_cast<unsigned>(parts));
}

// Numbers of 8 bytes, between machines of one kind.
using Words = std::vector<std::uint64_t>;

std::vector<std::byte> to_bytes(const Words& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::uint64_t take(base::Bytes& bytes) {
  std::uint64_t value = 0;
  if (bytes.size() < sizeof value) throw Error(Code::communication, "a share of a multifile is too short");
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

void put(Words& words, const TaskEntry& entry) {
  const StreamPlace& place = entry.place;
  for (const std::uint64_t value :
       {place.start, place.width, place.skip, std::uint64_t{place.file}, std::uint64_t{place.task},
        static_cast<std::uint64_t>(place.number), entry.size, std::uint64_t{entry.used.size()}}) {
    words.push_back(value);
  }
  for (const std::int64_t used : entry.used) words.push_back(static_cast<std::uint64_t>(used));
}

void put(Words& words, const std::vector<TaskEntry>& entries) {
  words.push_back(entries.size());
  for (const TaskEntry& entry : entries) put(words, entry);
}

TaskEntry take_entry(base::Bytes& bytes) {
  TaskEntry entry;
  StreamPlace& place = entry.place;
  place.start = take(bytes);
  place.width = take(bytes);
  place.skip = take(bytes);
  place.file = static_cast<std::uint32_t>(take(bytes));
  place.task = static_cast<std::uint32_t>(take(bytes));
  place.number = static_cast<std::int64_t>(take(bytes));
  entry.size = take(bytes);
  entry.used.resize(static_cast<std::size_t>(take(bytes)));
  for (std::int64_t& used : entry.used) used = static_cast<std::int64_t>(take(bytes));
  return entry;
}

std::vector<TaskEntry> take_entries(base::Bytes& bytes) {
  std::vector<TaskEntry> entries(static_cast<std::size_t>(take(bytes)));
  for (TaskEntry& entry : entries) entry = take_entry(bytes);
  return entries;
}

}  // namespace

TaskEntry entry_of(const FoundSet& found, std::int32_t task) {
  TaskEntry entry;
  entry.place = found.place(task);
  entry.size = found.stream_bytes(task);
  for (std::uint64_t chunk = 0; chunk < found.set.chunks(task); ++chunk) {
    entry.used.push_back(static_cast<std::int64_t>(found.set.used(task, chunk)));
  }
  return entry;
}

Share share_of(const FoundSet& found, const std::vector<std::uint64_t>& ends, int rank, int ranks, std::uint64_t unit) {
  Share share;
  const std::uint64_t tasks = ends.size(), total = ends.empty() ? 0 : ends.back();
  const std::uint64_t first = portion(tasks, rank, ranks), last = portion(tasks, rank + 1, ranks);
  share.first = static_cast<std::int64_t>(first);
  for (std::uint64_t task = first; task < last; ++task)
    share.dealt.push_back(entry_of(found, static_cast<std::int32_t>(task)));

  const std::uint64_t records = total / unit;
  share.window_begin = portion(records, rank, ranks) * unit;
  const std::uint64_t end = rank + 1 == ranks ? total : portion(records, rank + 1, ranks) * unit;
  share.window_bytes = end - share.window_begin;
  if (share.window_bytes == 0) return share;
  auto task = static_cast<std::uint64_t>(std::ranges::upper_bound(ends, share.window_begin) - ends.begin());
  share.before_windowed = task == 0 ? 0 : ends[task - 1];
  for (; task < tasks && (task == 0 || ends[task - 1] < end); ++task)
    share.windowed.push_back(entry_of(found, static_cast<std::int32_t>(task)));
  return share;
}

std::vector<std::byte> pack(const Share& share) {
  Words words{static_cast<std::uint64_t>(share.first)};
  put(words, share.dealt);
  words.push_back(share.window_begin);
  words.push_back(share.window_bytes);
  words.push_back(share.before_windowed);
  put(words, share.windowed);
  return to_bytes(words);
}

std::vector<std::byte> pack(const std::vector<TaskEntry>& entries) {
  Words words;
  put(words, entries);
  return to_bytes(words);
}

std::vector<TaskEntry> unpack_entries(base::Bytes bytes) { return take_entries(bytes); }

Share unpack_share(base::Bytes bytes) {
  Share share;
  share.first = static_cast<std::int64_t>(take(bytes));
  share.dealt = take_entries(bytes);
  share.window_begin = take(bytes);
  share.window_bytes = take(bytes);
  share.before_windowed = take(bytes);
  share.windowed = take_entries(bytes);
  return share;
}

}  // namespace lq::checkpoint
