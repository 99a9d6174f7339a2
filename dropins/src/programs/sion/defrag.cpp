// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// siondefrag: a multifile as one physical file with one chunk for each task.
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/repack.hpp>

#include "programs/sion/tool.hpp"

namespace {

using lq::format::sion::Set;

constexpr std::string_view usage =
    "options <insionfn> <outfn>\n\n"
    "Rewrites the multifile <insionfn> as one physical file <outfn> with one chunk for each task. With -q 1 there\n"
    "are no gaps between them.\n\n"
    "Options:\n"
    "  [-Q <fsblksize>]   chunks are multiples of this number of MB (default: as in the input)\n"
    "  [-q <fsblksize>]   chunks are multiples of this number of bytes\n"
    "  [-v]               prints what is copied\n"
    "  [-V]               version\n"
    "  [-h]               this help\n";

void say_what_it_is(const Set& set, const std::string& name, std::uint64_t new_block) {
  const lq::programs::Lines lines(stdout, "siondefrag");
  std::uint64_t room = 0;
  for (std::int32_t task = 0; task < set.tasks(); ++task) room += set.width(task);
  lines.number("sid", set.files().size() > 1 ? 1 : 0);
  lines.name("filename", name);
  lines.number("nfiles", set.files().size());
  lines.text("fsblksize", lq::programs::block_size(set));
  lines.nature(set);
  lines.number("max number of blocks", lq::programs::largest_count(set));
  lines.sizes(set);
  lines.bytes("size of chunks", room);
  lines.text("file usage", fmt::format("{:.6f}%", lq::programs::percent(lq::programs::data_bytes(set), room)));
  lines.number("max chunksize", lq::programs::largest_width(set));
  lines.number("fsblksize outfile", new_block);
}

void say_what_is_copied(const Set& set) {
  const lq::programs::Lines lines(stdout, "siondefrag");
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    lines.number("->rank", static_cast<std::uint64_t>(task));
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
    const lq::programs::Lines lines(stdout, "siondefrag");
    lines.name("infilename", names[0]);
    lines.name("outfilename", names[1]);
    const Set set = lq::programs::open_set(names[0]);
    const auto block = static_cast<std::uint64_t>(set.files().front().head.block_size);
    say_what_it_is(set, names[0], options.block_size > 0 ? options.block_size : block);
    if (verbose) say_what_is_copied(set);
    // For a checkpoint, fields that could not be kept: the new multifile is written without them.
    for (const lq::Finding& finding : lq::defragment(names[0], names[1], options).findings) {
      if (finding.severity == lq::Severity::error) throw lq::Error(finding.code, finding.message);
    }
  });
}
