// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// siondump: the metadata of a multifile. Scripts compare its lines, so labels and columns are those of SIONlib.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sion_const.h>

#include <fmt/format.h>

#include "format/sion/set.hpp"
#include "format/sion/stream.hpp"
#include "programs/sion/tool.hpp"

namespace lq::programs {
namespace {

using format::sion::FixedHead;
using format::sion::KeyWalker;
using format::sion::PhysicalFile;
using format::sion::Place;
using format::sion::Set;

struct DumpOptions {
  bool chunks = false;          // -a
  bool in_bytes = false;        // -l
  bool map_as_list = false;     // -m
  bool map_by_file = false;     // -M
  bool key_statistics = false;  // -k
  bool key_list = false;        // -K
  bool memory = false;          // -S
};

// Dashes.
constexpr int long_rule = 155, short_rule = 60;
void print_rule(int length) { fmt::print("{:-<{}}\n", "", length); }

// Key-value records.

// All tasks with a walk over their records, between two rules.
void for_each_task(const Set& set, const std::function<void(std::int32_t task, KeyWalker& records)>& work) {
  print_rule(long_rule);
  const format::sion::KeyValueMode mode = set.files().front().head.key_value_mode();
  if (mode != format::sion::KeyValueMode::inline_records) return;
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    const auto& file = set.file_of(task);
    const auto source = open_file(file.path);
    KeyWalker records = format::sion::walk_records(file, set.place(task).task, *source);
    work(task, records);
  }
  print_rule(long_rule);
}

// For each task its keys, and its records in order. Nothing if there are no key-value records.
void print_key_statistics(const Set& set) {
  struct Statistics {
    std::uint64_t key = 0;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
  };
  for_each_task(set, [](std::int32_t task, KeyWalker& records) {
    std::vector<Statistics> keys;  // in order of first appearance
    std::map<std::uint64_t, std::size_t> places;
    while (const auto record = records.next()) {
      const auto [place, is_new] = places.try_emplace(record->key, keys.size());
      if (is_new) keys.push_back({record->key});
      Statistics& statistics = keys[place->second];
      ++statistics.records;
      statistics.bytes += record->length;
    }
    for (std::size_t number = 0; number < keys.size(); ++number) {
      fmt::print("Task {:02}: key[{:02}]={:8}: #blocks={:6} totalsize={:10}\n", task, number, keys[number].key,
                 keys[number].records, keys[number].bytes);
    }
  });
}

void print_key_list(const Set& set) {
  constexpr std::uint64_t in_a_line = 5;
  for_each_task(set, [](std::int32_t task, KeyWalker& records) {
    fmt::print("Task {:02}:", task);
    std::uint64_t number = 0;
    while (const auto record = records.next()) {
      if (number > 0 && number % in_a_line == 0) fmt::print("\n       :");
      fmt::print(" [{:02}:k=<{}>,size={}]", number++, record->key, record->length);
    }
    fmt::print("\n");
  });
}

// Chunks and the places of tasks.

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
  std::uint64_t room = 0;                 // of the tasks' chunks

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

// How chunks and blocks of the file system are filled. `widths`: of the chunks of each task.
void print_filling(const Set& set, const std::vector<std::int64_t>& widths) {
  const Filling f = filling_of(set, widths);
  const auto sizes = [](std::string_view label, std::uint64_t bytes) {
    fmt::print("siondump: {:<38} {})\n", fmt::format("{}:", label), in_both(bytes));
  };
  const auto chunks = [](std::string_view label, const Amount& amount) {
    fmt::print("siondump: {:<38} {}) #{:7}\n", fmt::format("{}:", label), in_both(amount.bytes), amount.number);
  };
  // Shares of zero are omitted.
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

// Bytes of each chunk of each task, ten chunks per line.
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
  // The names at creation, as in SIONlib; a renamed set has others.
  for (const PhysicalFile& file : set.files()) {
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
      // A full line is ended even if no task follows.
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

constexpr std::string_view usage =
    "options <sionfn>\n\n"
    "Prints the metadata of the multifile <sionfn>, all its physical files as one.\n\n"
    "Options:\n"
    "  [-a]   filled bytes of every chunk of every task\n"
    "  [-m]   places of the tasks, as a list\n"
    "  [-M]   places of the tasks, by physical file\n"
    "  [-l]   with -a: sizes in bytes, not in MB\n"
    "  [-k]   keys of every task, with numbers of records and bytes\n"
    "  [-K]   key-value records of every task\n"
    "  [-S]   memory needed for the metadata\n"
    "  [-v]   verbose (no more to say)\n"
    "  [-V]   version\n"
    "  [-h]   this help\n";

// The memory taken by the metadata of a set: 32 bytes per task and 8 per chunk.
std::uint64_t memory_of(const Set& set) {
  std::uint64_t bytes = sizeof(Set);
  for (const PhysicalFile& file : set.files()) {
    bytes += sizeof(PhysicalFile) + 24 * static_cast<std::uint64_t>(file.geometry.tasks()) + 8 * file.table.chunks();
  }
  return bytes + (set.files().size() > 1 ? 8 * static_cast<std::uint64_t>(set.tasks()) : 0);
}

void print_head(const Set& set, const std::string& name, bool memory) {
  const FixedHead& head = set.files()[static_cast<std::size_t>(set.given_file())].head;
  const bool is_set = head.files > 1;
  const Lines lines(stdout, "siondump");
  lines.number("sid", is_set ? 1 : 0);
  lines.name("filename", name);
  lines.name("prefix", head.prefix);
  lines.number("number of tasks", static_cast<std::uint64_t>(set.tasks()));
  lines.text("current endianness", order_name(format::sion::host_order));
  lines.text("file endianness", order_name(head.data_order));
  lines.text("filesystem blocksize", block_size(set));
  lines.text("file set", is_set ? "Yes" : "No");
  lines.text("file number", fmt::format("{}", head.file_number));
  lines.text("number of files", fmt::format("{}", head.files));
  lines.text("flag1", fmt::format("{} ({}+{})", head.flag1, static_cast<std::int32_t>(head.flag1 >> 32),
                                  static_cast<std::int32_t>(head.flag1 & 0xffffffff)));
  lines.text("flag2", fmt::format("{}", head.flag2));
  lines.text("keyval", fmt::format("{} ({})", static_cast<std::int32_t>(head.key_value_mode()),
                                   key_value_name(head.key_value_mode())));
  lines.text("file format version", fmt::format("{}", head.format_version));
  lines.text("file SIONlib version",
             fmt::format("{}.{}p{} (current {}.{}p{})", head.library_version / 1000, head.library_version % 1000,
                         head.library_patch, SION_MAIN_VERSION, SION_SUB_VERSION, SION_VERSION_PATCHLEVEL));
  lines.text("number of blocks", fmt::format(" {}", largest_count(set)));
  if (memory) lines.text("sizeof internal struct", fmt::format("{:7} bytes 0 file descriptors", memory_of(set)));
}

void dump(const std::string& name, const DumpOptions& options) {
  const Set set = open_set(name);
  const std::vector<std::int64_t> widths = stored_widths(set);
  print_head(set, name, options.memory);
  print_filling(set, widths);
  if (options.chunks) print_chunks(set, widths, options.in_bytes);
  if (options.key_statistics) print_key_statistics(set);
  if (options.key_list) print_key_list(set);
  if (set.files().size() > 1) print_map(set, options);
}

}  // namespace
}  // namespace lq::programs

int main(int argc, char** argv) {
  using namespace lq::programs;
  const Program program = {"siondump", usage, "amMlkKSv"};
  return run(program, argc, argv, [](Arguments& arguments) {
    DumpOptions options;
    arguments.for_each([&](char option, const char*) {
      options.chunks |= option == 'a';
      options.map_as_list |= option == 'm';
      options.map_by_file |= option == 'M';
      options.in_bytes |= option == 'l';
      options.key_statistics |= option == 'k';
      options.key_list |= option == 'K';
      options.memory |= option == 'S';
    });
    dump(arguments.rest(1).front(), options);
  });
}
