// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which tasks and bytes of a set a rank gets, and these on their way to it from the ranks that have read the tables.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "comm/multi_gather.hpp"
#include "comm/multi_scatter.hpp"
#include "sets/checkpoint/stream.hpp"

namespace lq::sets {

struct FoundFile;
struct FoundSet;

// What one rank gets of the tables.
struct Share {
  std::int64_t first = 0;        // of the tasks dealt to it
  std::vector<TaskEntry> dealt;  // these
  std::uint64_t window_begin = 0;
  std::uint64_t window_bytes = 0;
  std::uint64_t before_windowed = 0;  // bytes of all tasks before those with bytes of the window
  std::vector<TaskEntry> windowed;    // these
};

// A set in parts of consecutive tasks. The tables of each are on one rank.
struct Parts {
  std::vector<std::uint64_t> tasks;  // before each part, and at the end of all
  std::vector<std::uint64_t> bytes;  // of their streams, likewise

  // Of sets that are gone on with: who does with tasks of each part. The first of them reads it.
  std::vector<comm::GatherItem> users = {};

  std::size_t count() const noexcept { return tasks.empty() ? 0 : tasks.size() - 1; }
  // Who reads a part, else. As many ranks as possible, each as few parts, which are consecutive; the first of those
  // that a part is dealt to, where every part has as many tasks.
  int reader(std::size_t part, int ranks) const noexcept;
};

// On the rank that has read them.
struct PartTables {
  std::vector<std::uint64_t> ends;                     // of the streams, contiguous
  std::function<TaskEntry(std::uint64_t task)> entry;  // of a task, counted in the part
  // What was read: one of them.
  std::shared_ptr<const FoundFile> file = {};
  std::shared_ptr<const FoundSet> set = {};
};

// What ranks get, on its way to them.
class ShareScatter {
 public:
  // Local; to be agreed on before any rank runs it. `parts` and `mine` outlive it. `mine`: the tables of the parts that
  // this rank reads. `unit`: windows are multiples of the given number of bytes.
  ShareScatter(comm::Comm& comm, const Parts& parts, const std::map<std::size_t, PartTables>& mine, std::uint64_t unit);
  // Collective, once; what it throws is to be agreed on.
  Share run();

 private:
  Share share_;
  comm::MultiScatter tasks_, windows_;
};

std::vector<std::byte> pack(const std::vector<TaskEntry>& entries);
std::vector<TaskEntry> unpack_entries(base::Bytes bytes);

}  // namespace lq::sets
