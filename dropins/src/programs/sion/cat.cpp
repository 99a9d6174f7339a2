// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// sioncat: prints the data of tasks in sequence.
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "programs/sion/tool.hpp"

namespace {

using lq::format::sion::Set;

constexpr std::string_view usage =
    "options <sionfn>\n\n"
    "Writes the data of all tasks of the multifile <sionfn>, in sequence, without metadata.\n\n"
    "Options:\n"
    "  [-v]             prints each step to standard error\n"
    "  [-t <tasknum>]   only the data of this task\n"
    "  [-b <blknum>]    only this chunk of each task\n"
    "  [-o <outfile>]   writes to this file instead of standard output\n"
    "  [-V]             version\n"
    "  [-h]             this help\n";

struct Options {
  bool verbose = false;
  std::optional<std::int64_t> task;
  std::optional<std::int64_t> block;
  std::optional<std::string> output;
};

void require(std::int64_t number, std::uint64_t count, std::string_view what) {
  if (static_cast<std::uint64_t>(number) < count) return;
  throw lq::Error(lq::Code::invalid_argument,
                  fmt::format("{} number {} out of range 0 .. {}", what, number, count - 1));
}

void say_what_it_is(const Set& set, const Options& options, const std::string& name) {
  const lq::programs::Lines lines(stderr, "sioncat");
  lines.name("filename", name);
  if (options.output) lines.name("outfile", *options.output);
  lines.number("sid", set.files().size() > 1 ? 1 : 0);
  lines.number("number of tasks", static_cast<std::uint64_t>(set.tasks()));
  lines.text("write data of task", fmt::format("{}", options.task.value_or(-1)));
  lines.text("write data of block", fmt::format("{}", options.block.value_or(-1)));
  lines.nature(set);
  lines.text("fsblksize", lq::programs::block_size(set));
  lines.number("max number of chunks", lq::programs::largest_count(set));
  lines.sizes(set);
  lines.number("max chunksize", lq::programs::largest_width(set));
}

void write_task(const Set& set, std::int32_t task, const Options& options, lq::programs::OutputFile& output) {
  const auto source = lq::programs::open_file(set.file_of(task).path);
  if (options.verbose) fmt::print(stderr, "sioncat: processing task:                {}\n", task);
  for (std::uint64_t chunk = 0; chunk < set.chunks(task); ++chunk) {
    if (options.block && static_cast<std::uint64_t>(*options.block) != chunk) continue;
    output.copy(*source, set.offset(task, chunk), set.used(task, chunk));
    if (options.verbose) fmt::print(stderr, "sioncat:                            {} read\n", set.used(task, chunk));
  }
}

void write_all(const std::string& name, const Options& options) {
  const Set set = lq::programs::open_set(name);
  const auto tasks = static_cast<std::uint64_t>(set.tasks());
  if (options.task) require(*options.task, tasks, "task");
  const auto one = static_cast<std::int32_t>(options.task.value_or(0));
  if (options.block) {
    require(*options.block, options.task ? set.chunks(one) : lq::programs::largest_count(set), "blk");
  }
  if (options.verbose) say_what_it_is(set, options, name);
  const auto output = options.output ? std::make_unique<lq::programs::OutputFile>(*options.output, false, set)
                                     : std::make_unique<lq::programs::OutputFile>();
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    if (!options.task || task == one) write_task(set, task, options, *output);
  }
  output->close();
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const lq::programs::Program program = {"sioncat", usage, "vt:b:o:"};
  return lq::programs::run(program, argc, argv, [](lq::programs::Arguments& arguments) {
    Options options;
    arguments.for_each([&](char option, const char* value) {
      if (option == 'v') options.verbose = true;
      if (option == 't') options.task = lq::programs::whole_number(value, 0, most);
      if (option == 'b') options.block = lq::programs::whole_number(value, 0, most);
      if (option == 'o') options.output = value;
    });
    write_all(arguments.rest(1).front(), options);
  });
}
