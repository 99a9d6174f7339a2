// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chunks and the places of tasks.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "programs/sion/dump.hpp"
#include "programs/sion/tool.hpp"

namespace lq::programs {
namespace {

using format::sion::Place;
using format::sion::Set;

constexpr int short_rule = 60;

struct Amount {
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;

  void add(std::uint64_t more, std::uint64_t count = 1) {
    bytes += more;
    number += count;
  }
};

struct Filling {
  Amount full, partly, empty;             // chunks
  Amount blocks, full_blocks, in_partly;  // blocks of the file system; in_partly: their filled bytes
  std::uint64_t room = 0;                 // of the chunks that tasks have

  std::uint64_t data() const { return full.bytes + partly.bytes; }
};

Filling filling_of(const Set& set, const std::vector<std::int64_t>& widths) {
  Filling filling;
  const auto block = static_cast<std::uint64_t>(set.files().front().head.block_size);
  const std::uint64_t most = largest_count(set);
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    const auto width = static_cast<std::uint64_t>(widths[static_cast<std::size_t>(task)]);
    const std::uint64_t count = set.chunks(task);
    filling.room += count * width;
    filling.empty.add((most - count) * width, most - count);
    for (std::uint64_t chunk = 0; chunk < count; ++chunk) {
      const std::uint64_t used = set.used(task, chunk);
      if (used == width) {
        filling.full.add(used);
      } else if (used > 0) {
        filling.partly.add(used);
      } else {
        filling.empty.add(width);
      }
      const std::uint64_t whole = used / block;
      const std::uint64_t rest = used % block;
      filling.full_blocks.add(whole * block, whole);
      if (rest > 0) filling.in_partly.add(rest);
    }
  }
  filling.blocks.number = filling.full_blocks.number + filling.in_partly.number;
  filling.blocks.bytes = filling.blocks.number * block;
  return filling;
}

std::string in_both(std::uint64_t bytes) { return fmt::format("{:12} bytes  ({:8.2f} MB", bytes, megabytes(bytes)); }

std::string size_of(std::uint64_t bytes, bool in_bytes) {
  return in_bytes ? fmt::format("{:10} B", bytes) : fmt::format("{:8.2f} MB", megabytes(bytes));
}

}  // namespace

void print_rule(int length) { fmt::print("{:-<{}}\n", "", length); }

void print_filling(const Set& set, const std::vector<std::int64_t>& widths) {
  const Filling f = filling_of(set, widths);
  const auto sizes = [](std::string_view label, std::uint64_t bytes) {
    fmt::print("siondump: {:<38} {})\n", fmt::format("{}:", label), in_both(bytes));
  };
  const auto chunks = [](std::string_view label, const Amount& amount) {
    fmt::print("siondump: {:<38} {}) #{:7}\n", fmt::format("{}:", label), in_both(amount.bytes), amount.number);
  };
  // Of nothing there are no shares.
  const auto share = [](std::string_view label, std::uint64_t part, std::uint64_t whole, int column) {
    if (whole == 0) return;
    fmt::print("siondump: {:<{}} {:14.6f}%\n", fmt::format("{}:", label), column, percent(part, whole));
  };
  const auto blocks = [](std::string_view label, const Amount& amount) {
    fmt::print("siondump: fsblocks, {:<28} {}, {} blocks)\n", fmt::format("{}:", label), in_both(amount.bytes),
               amount.number);
  };
  sizes("size of chunks", f.room);
  sizes("datasize in file (aggr.)", f.data());
  chunks("size of full chunks", f.full);
  chunks("size of partly filled chunks", f.partly);
  chunks("size of empty chunks", f.empty);
  sizes("overhead compared to task-local file", f.room - f.data());
  share("file usage (user data/chunk size)", f.data(), f.room, 36);
  blocks("size of used blocks", f.blocks);
  blocks("size of fully used blocks", f.full_blocks);
  const std::uint64_t partly = f.blocks.bytes - f.full_blocks.bytes;
  fmt::print("siondump: fsblocks, {:<28} {:12} bytes of {:12} bytes ({:6.2f} MB of {:6.2f} MB, {} blocks)\n",
             "size of partly used blocks:", f.in_partly.bytes, partly, megabytes(f.in_partly.bytes), megabytes(partly),
             f.in_partly.number);
  share("fsblocks, used fsblocks/chunk size", f.blocks.bytes, f.room, 37);
  share("fsblocks, user data/used blocks", f.data(), f.blocks.bytes, 37);
}

void print_chunks(const Set& set, const std::vector<std::int64_t>& widths, bool in_bytes) {
  constexpr std::uint64_t side_by_side = 10;
  const std::uint64_t most = largest_count(set);
  // Chunks that a task does not have.
  const std::int64_t absent = set.files().size() > 1 ? -1 : 0;
  fmt::print("\n");
  print_rule(long_rule);
  for (std::uint64_t first = 0; first < most; first += side_by_side) {
    const std::uint64_t end = std::min(most, first + side_by_side);
    fmt::print("{:70}", "");
    for (std::uint64_t chunk = first; chunk < end; ++chunk) fmt::print("BLK{:03}    ", chunk);
    fmt::print("\n");
    for (std::int32_t task = 0; task < set.tasks(); ++task) {
      const std::uint64_t count = set.chunks(task);
      const auto width = static_cast<std::uint64_t>(widths[static_cast<std::size_t>(task)]);
      fmt::print("Task {:02}: size={} glblrnk={:4} #blks={:2} lsz={}: ", task, size_of(set.bytes(task), in_bytes),
                 set.rank(task), count, size_of(width, in_bytes));
      for (std::uint64_t chunk = first; chunk < end; ++chunk) {
        const std::int64_t used = chunk < count ? static_cast<std::int64_t>(set.used(task, chunk)) : absent;
        if (in_bytes) {
          fmt::print("{:9} ", used);
        } else {
          fmt::print("{:8.2f} MB", static_cast<double>(used) / 1048576.0);
        }
      }
      fmt::print("{}\n", in_bytes ? "" : " ");
    }
    fmt::print("\n");
  }
  print_rule(long_rule);
}

void print_map(const Set& set, const DumpOptions& options) {
  constexpr std::int32_t in_a_line = 16;
  print_rule(short_rule);
  fmt::print("siondump: number of files:           {}\n", set.files().size());
  // The names at creation, as ever; a set that was renamed has others.
  for (const format::sion::PhysicalFile& file : set.files()) {
    const std::int32_t number = file.head.file_number;
    fmt::print("siondump: file {:3}:                    {} \n", number + 1,
               format::sion::file_name(file.head.prefix, number));
  }
  print_rule(short_rule);
  if (options.map_as_list) {
    fmt::print("  mapping: ");
    for (std::int32_t task = 0; task < set.tasks(); ++task) {
      const Place place = set.place(task);
      fmt::print("[{:05} -> (f{:03},t{:03})] ", task, place.file, place.task);
      // A full line is ended even where no task follows.
      if (task % in_a_line == in_a_line - 1) fmt::print("\n        ");
    }
    fmt::print("\n");
    print_rule(short_rule);
  }
  if (options.map_by_file) {
    std::vector<std::vector<std::int32_t>> tasks(set.files().size());
    for (std::int32_t task = 0; task < set.tasks(); ++task) {
      tasks[static_cast<std::size_t>(set.place(task).file)].push_back(task);
    }
    for (std::size_t file = 0; file < tasks.size(); ++file) {
      fmt::print("  file[{:03}]: ", file);
      for (const std::int32_t task : tasks[file]) fmt::print("{:2}:{:05} ", set.place(task).task, task);
      fmt::print("\n");
    }
    print_rule(short_rule);
  }
}

}  // namespace lq::programs
