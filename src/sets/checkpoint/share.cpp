// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/set_tables.hpp"

#include <algorithm>
#include <exception>
#include <iterator>

#include "comm/agree.hpp"
#include "comm/pack.hpp"

namespace lq::sets {
namespace {

// A number of items in order, distributed over ranks as evenly as possible.
class Cut {
 public:
  Cut(std::uint64_t total, int ranks) : total_(total), ranks_(static_cast<unsigned>(ranks)) {}

  // The number of items before a rank. Wider than 64 bits because the product overflows.
  std::uint64_t before(int rank) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(total_) * static_cast<unsigned>(rank) / ranks_);
  }
  int owner(std::uint64_t thing) const {
    return static_cast<int>(((static_cast<unsigned __int128>(thing) + 1) * ranks_ - 1) / total_);
  }

 private:
  std::uint64_t total_;
  unsigned ranks_;
};

// The bytes of all streams, divided between records; the last rank gets a remaining partial record.
class WindowCut {
 public:
  WindowCut(std::uint64_t bytes, std::uint64_t unit, int ranks)
      : bytes_(bytes), unit_(unit), last_(ranks - 1), records_(bytes / unit, ranks) {}

  std::uint64_t begin(int rank) const { return records_.before(rank) * unit_; }
  std::uint64_t end(int rank) const { return rank == last_ ? bytes_ : begin(rank + 1); }
  int owner(std::uint64_t byte) const { return byte / unit_ < bytes_ / unit_ ? records_.owner(byte / unit_) : last_; }

 private:
  std::uint64_t bytes_, unit_;
  int last_;
  Cut records_;
};

// One rank's share of a part: entries, and the number of stream bytes before the first.
struct Piece {
  std::uint64_t before = 0;
  std::vector<TaskEntry> entries;
};
auto members(Piece& piece) { return std::tie(piece.before, piece.entries); }

// Items of parts, divided among ranks.
template <class By>
std::vector<comm::ScatterItem> items(const Parts& parts, const std::vector<std::uint64_t>& before, const By& cut,
                                     int ranks) {
  std::vector<comm::ScatterItem> items;
  for (std::size_t part = 0; part < parts.count(); ++part) {
    const std::uint64_t begin = before[part], end = before[part + 1];
    comm::ScatterItem one{parts.reader(part, ranks), 0, 0};
    if (begin < end) one = {one.from, cut.owner(begin), cut.owner(end - 1) + 1};
    items.push_back(one);
  }
  return items;
}

comm::MultiScatter scatter_of_tasks(comm::Comm& comm, const Parts& parts,
                                    const std::map<std::size_t, PartTables>& mine) {
  const Cut cut(parts.tasks.back(), comm.size());
  return {comm, items(parts, parts.tasks, cut, comm.size()), [&parts, &mine, cut](std::size_t part, int rank) {
            const PartTables& tables = mine.at(part);
            const std::uint64_t begin = parts.tasks[part], end = parts.tasks[part + 1];
            Piece piece;
            for (std::uint64_t task = std::max(begin, cut.before(rank)); task < std::min(end, cut.before(rank + 1));
                 ++task) {
              piece.entries.push_back(tables.entry(task - begin));
            }
            return comm::packed(piece);
          }};
}

// Tasks with bytes of the window, and empty ones between them.
comm::MultiScatter scatter_of_windows(comm::Comm& comm, const Parts& parts,
                                      const std::map<std::size_t, PartTables>& mine, const WindowCut& cut) {
  return {comm, items(parts, parts.bytes, cut, comm.size()), [&parts, &mine, cut](std::size_t part, int rank) {
            const PartTables& tables = mine.at(part);
            const std::uint64_t base = parts.bytes[part], all = parts.bytes[part + 1] - base;
            const std::uint64_t begin = std::max(cut.begin(rank), base) - base;
            const std::uint64_t end = std::min(std::max(cut.end(rank), base) - base, all);
            Piece piece;
            if (begin >= end) return comm::packed(piece);
            auto task = static_cast<std::uint64_t>(std::ranges::upper_bound(tables.ends, begin) - tables.ends.begin());
            const auto before = [&] { return task == 0 ? 0 : tables.ends[task - 1]; };
            piece.before = base + before();
            for (; task < tables.ends.size() && before() < end; ++task) piece.entries.push_back(tables.entry(task));
            return comm::packed(piece);
          }};
}

// Concatenates data from several parts; returns the bytes before them.
std::uint64_t join(const std::vector<comm::ScatteredPart>& dealt, std::vector<TaskEntry>& entries) {
  std::uint64_t before = 0;
  for (const comm::ScatteredPart& one : dealt) {
    Piece piece;
    base::Bytes bytes = one.bytes;
    if (!bytes.empty()) comm::unpack(bytes, piece);  // else its reader failed
    if (piece.entries.empty()) continue;
    if (entries.empty()) before = piece.before;
    std::ranges::move(piece.entries, std::back_inserter(entries));
  }
  return before;
}

}  // namespace

int Parts::reader(std::size_t part, int ranks) const noexcept {
  if (!users.empty()) return users[part].first;
  const std::size_t all = static_cast<std::size_t>(ranks);
  return static_cast<int>(count() <= all ? part * (all / count()) : part * all / count());
}

ShareScatter::ShareScatter(comm::Comm& comm, const Parts& parts, const std::map<std::size_t, PartTables>& mine,
                           std::uint64_t unit)
    : tasks_(scatter_of_tasks(comm, parts, mine)),
      windows_(scatter_of_windows(comm, parts, mine, {parts.bytes.back(), unit, comm.size()})) {
  const WindowCut cut(parts.bytes.back(), unit, comm.size());
  share_.first = static_cast<std::int64_t>(Cut(parts.tasks.back(), comm.size()).before(comm.rank()));
  share_.window_begin = cut.begin(comm.rank());
  share_.window_bytes = cut.end(comm.rank()) - share_.window_begin;
}

// The others wait for data that this rank forwards.
Share ShareScatter::run() {
  std::exception_ptr failure;
  comm::take_part(failure, [&] { join(tasks_.run(), share_.dealt); });
  comm::take_part(failure, [&] { share_.before_windowed = join(windows_.run(), share_.windowed); });
  if (failure) std::rethrow_exception(failure);
  return std::move(share_);
}

}  // namespace lq::sets
