// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// siondefrag: a multifile as one physical file with one chunk for each task.
#include <limits>

#include <fmt/format.h>
#include <limequat/repack.hpp>

#include "compat/programs/sion/tool.hpp"

namespace {

using lq::format::sion::Set;

constexpr std::string_view usage =
    "options <insionfn> <outfn>\n\n"
    "Writes the multifile <insionfn> anew as one physical file <outfn> with one chunk for each task. With -q 1 there\n"
    "are no gaps between them.\n\n"
    "Options:\n"
    "  [-Q <fsblksize>]   chunks are multiples of so many MB (default: as in the input)\n"
    "  [-q <fsblksize>]   chunks are multiples of so many bytes\n"
    "  [-v]               says what is copied\n"
    "  [-V]               version\n"
    "  [-h]               this help\n";

void say(std::string_view label, const std::string& value) {
  fmt::print("siondefrag: {:<26} {}\n", fmt::format("{}:", label), value);
}

void say_bytes(std::string_view label, std::uint64_t bytes) {
  say(label, fmt::format("{} bytes ({:6.2f} MB)", bytes, lq::programs::megabytes(bytes)));
}

void say_what_it_is(const Set& set, const std::string& name) {
  const auto& first = set.files().front();
  const std::uint64_t data = lq::programs::data_bytes(set);
  std::uint64_t room = 0;
  for (std::int32_t task = 0; task < set.tasks(); ++task) room += set.width(task);
  say("filename", fmt::format("{:<30}", name));
  say("nfiles", fmt::format("{}", set.files().size()));
  say_bytes("fsblksize", static_cast<std::uint64_t>(first.head.block_size));
  say("keyval", fmt::format("{} ({})", static_cast<int>(first.head.key_value_mode()),
                            lq::programs::key_value_name(first.head.key_value_mode())));
  say("current endianness", std::string(lq::programs::order_name(lq::format::sion::host_order)));
  say("file endianness", std::string(lq::programs::order_name(first.head.data_order)));
  say("max number of blocks", fmt::format("{}", lq::programs::largest_count(set)));
  say_bytes("datasize in file (aggr.)", data);
  say_bytes("start_of_varheader", first.tail_offset);
  say_bytes("size of chunks", room);
  say("file usage", fmt::format("{:.6f}%", lq::programs::percent(data, room)));
}

void say_what_is_copied(const Set& set) {
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    say("->rank", fmt::format("{}", task));
    fmt::print("siondefrag:                            copy now {} blocks on rank={} \n", set.chunks(task), task);
    for (std::uint64_t chunk = 0; chunk < set.chunks(task); ++chunk) {
      fmt::print("siondefrag:                               copy now block #{} with {} bytes \n", chunk,
                 set.used(task, chunk));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const lq::programs::Program program = {"siondefrag", usage, "Q:q:v"};
  return lq::programs::run(program, argc, argv, [](lq::programs::Arguments& arguments) {
    bool verbose = false;
    lq::RepackOptions options;
    options.overwrite = true;
    arguments.for_each([&](char option, const char* value) {
      if (option == 'Q') {
        options.block_size = static_cast<std::uint64_t>(lq::programs::whole_number(value, 1, most >> 20)) << 20;
      }
      if (option == 'q') options.block_size = static_cast<std::uint64_t>(lq::programs::whole_number(value, 1, most));
      if (option == 'v') verbose = true;
    });
    const std::vector<std::string> names = arguments.rest(2);
    say("infilename", fmt::format("{:<30}", names[0]));
    say("outfilename", fmt::format("{:<30}", names[1]));
    const Set set = lq::programs::open_set(names[0]);
    say_what_it_is(set, names[0]);
    const std::uint64_t block = static_cast<std::uint64_t>(set.files().front().head.block_size);
    say("fsblksize outfile", fmt::format("{}", options.block_size > 0 ? options.block_size : block));
    if (verbose) say_what_is_copied(set);
    lq::defragment(names[0], names[1], options);
  });
}
