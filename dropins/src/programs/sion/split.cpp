// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// sionsplit: writes one file per task or, for key-value records, one per task and key.
#include <set>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/sion/stream.hpp"
#include "programs/sion/tool.hpp"

namespace {

using lq::format::sion::LogicalFile;
using lq::format::sion::Set;
using lq::format::sion::StreamRange;
using lq::programs::OutputFile;

constexpr std::string_view usage =
    "options <sionfn> <prefix>\n\n"
    "Writes the data of each task of the multifile <sionfn> to a separate file, whose name is <prefix> and the\n"
    "number of the task; for key-value records one file for each task and key: <prefix><task>_<key>.\n\n"
    "Example: sionsplit data.sion data/file_\n"
    "  makes data/file_00000, data/file_00001, ...\n\n"
    "Options:\n"
    "  [-v]         verbose (no more to say)\n"
    "  [-g]         uses global ranks instead of task numbers in the names\n"
    "  [-d <num>]   number of digits in the names (5)\n"
    "  [-V]         version\n"
    "  [-h]         this help\n";

struct Options {
  bool by_rank = false;
  int digits = 5;
};

void say_what_it_is(const Set& set, const Options& options, const std::string& name, const std::string& prefix) {
  const lq::programs::Lines lines(stdout, "sionsplit");
  const auto& first = set.files().front();
  const std::uint64_t most = lq::programs::largest_count(set);
  const std::uint64_t size = first.tail_offset + lq::format::sion::table_bytes(set.tasks(), most);
  lines.number("sid", set.files().size() > 1 ? 1 : 0);
  lines.name("filename", name);
  lines.number("number of tasks", static_cast<std::uint64_t>(set.tasks()));
  lines.number("number of files", set.files().size());
  lines.number("number of digits", static_cast<std::uint64_t>(options.digits));
  lines.number("use global ranks", options.by_rank ? 1 : 0);
  lines.nature(set);
  lines.text("fsblksize", lq::programs::block_size(set));
  lines.number("max number of chunks", most);
  lines.sizes(set);
  lines.bytes("size of file", size);
  lines.text("file usage", fmt::format("{:.6f}%", lq::programs::percent(lq::programs::data_bytes(set), size)));
  lines.text("filename mask", fmt::format("{}%0{}d", prefix, options.digits));
  lines.text("filename key mask", fmt::format("{}%0{}d_%012ld", prefix, options.digits));
  lines.number("max chunksize", lq::programs::largest_width(set));
}

void write_task(const Set& set, std::int32_t task, const std::string& path) {
  const auto source = lq::programs::open_file(set.file_of(task).path);
  fmt::print("sionsplit: generating file:           {}\n", path);
  OutputFile output(path, false, set);
  for (std::uint64_t chunk = 0; chunk < set.chunks(task); ++chunk) {
    const std::uint64_t used = set.used(task, chunk);
    output.copy(*source, set.offset(task, chunk), used);
    if (used == 0) continue;
    fmt::print("sionsplit:                            {} read left=0 \n", used);
    fmt::print("sionsplit:                            {} wrote of left={} \n", used, used);
  }
  output.close();
}

// Records come in stream order; a file grows by those of its key.
void write_keys(const Set& set, std::int32_t task, const std::string& stem) {
  const auto& file = set.file_of(task);
  const std::int32_t number = set.place(task).task;
  const auto source = lq::programs::open_file(file.path);
  lq::format::sion::KeyWalker records = lq::format::sion::walk_records(file, number, *source);
  const LogicalFile stream(file, number);
  std::set<std::uint64_t> seen;
  while (const auto record = records.next()) {
    const bool is_first = seen.insert(record->key).second;
    const std::string path = fmt::format("{}_{:012}", stem, static_cast<std::int64_t>(record->key));
    if (is_first) fmt::print("sionsplit: generating file:           '{}'\n", path);
    OutputFile output(path, !is_first, set);
    stream.for_each(record->position, record->length,
                    [&](const StreamRange& piece) { output.copy(*source, piece.offset, piece.length); });
    output.close();
    fmt::print("sionsplit:                               extracting now data of key[{:12}] ({} bytes)\n",
               static_cast<std::int64_t>(record->key), record->length);
  }
}

void require_distinct_ranks(const Set& set) {
  std::set<std::int64_t> ranks;
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    if (!ranks.insert(set.rank(task)).second) {
      throw lq::Error(
          lq::Code::invalid_argument,
          fmt::format("several tasks have rank {}, so -g would give their files the same name", set.rank(task)));
    }
  }
}

void split(const std::string& name, const std::string& prefix, const Options& options) {
  const lq::programs::Lines lines(stdout, "sionsplit");
  lines.name("filename", name);
  lines.name("prefix", prefix);
  const Set set = lq::programs::open_set(name);
  if (options.by_rank) require_distinct_ranks(set);
  say_what_it_is(set, options, name, prefix);
  const bool has_keys = set.files().front().head.key_value_mode() == lq::format::sion::KeyValueMode::inline_records;
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    const std::int64_t number = options.by_rank ? set.rank(task) : task;
    const std::string path = fmt::format("{}{:0{}}", prefix, number, options.digits);
    if (has_keys) {
      write_keys(set, task, path);
    } else {
      write_task(set, task, path);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const lq::programs::Program program = {"sionsplit", usage, "vgd:"};
  return lq::programs::run(program, argc, argv, [](lq::programs::Arguments& arguments) {
    Options options;
    arguments.for_each([&](char option, const char* value) {
      if (option == 'g') options.by_rank = true;
      if (option == 'd') options.digits = static_cast<int>(lq::programs::whole_number(value, 1, 18));
    });
    const std::vector<std::string> names = arguments.rest(2);
    split(names[0], names[1], options);
  });
}
