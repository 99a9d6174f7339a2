// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// siondump: the metadata of a multifile.
#include "programs/sion/dump.hpp"

#include <sion_const.h>

#include <fmt/format.h>

#include "programs/sion/tool.hpp"

namespace {

using lq::format::sion::FixedHead;
using lq::format::sion::PhysicalFile;
using lq::format::sion::Set;

constexpr std::string_view usage =
    "options <sionfn>\n\n"
    "Prints the metadata of the multifile <sionfn>, all its physical files as one.\n\n"
    "Options:\n"
    "  [-a]   filled bytes of every chunk of every task\n"
    "  [-m]   where the tasks lie, as a list\n"
    "  [-M]   where the tasks lie, by physical file\n"
    "  [-l]   with -a: sizes in bytes, not in MB\n"
    "  [-k]   keys of every task, with numbers of records and bytes\n"
    "  [-K]   key-value records of every task\n"
    "  [-S]   memory that the metadata take\n"
    "  [-v]   verbose (no more to say)\n"
    "  [-V]   version\n"
    "  [-h]   this help\n";

// What the metadata of a set take in memory: 32 bytes per task and 8 per chunk.
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
  const lq::programs::Lines lines(stdout, "siondump");
  lines.number("sid", is_set ? 1 : 0);
  lines.name("filename", name);
  lines.name("prefix", head.prefix);
  lines.number("number of tasks", static_cast<std::uint64_t>(set.tasks()));
  lines.text("current endianness", lq::programs::order_name(lq::format::sion::host_order));
  lines.text("file endianness", lq::programs::order_name(head.data_order));
  lines.text("filesystem blocksize", lq::programs::block_size(set));
  lines.text("file set", is_set ? "Yes" : "No");
  lines.text("file number", fmt::format("{}", head.file_number));
  lines.text("number of files", fmt::format("{}", head.files));
  lines.text("flag1", fmt::format("{} ({}+{})", head.flag1, static_cast<std::int32_t>(head.flag1 >> 32),
                                  static_cast<std::int32_t>(head.flag1 & 0xffffffff)));
  lines.text("flag2", fmt::format("{}", head.flag2));
  lines.text("keyval", fmt::format("{} ({})", static_cast<std::int32_t>(head.key_value_mode()),
                                   lq::programs::key_value_name(head.key_value_mode())));
  lines.text("file format version", fmt::format("{}", head.format_version));
  lines.text("file SIONlib version",
             fmt::format("{}.{}p{} (current {}.{}p{})", head.library_version / 1000, head.library_version % 1000,
                         head.library_patch, SION_MAIN_VERSION, SION_SUB_VERSION, SION_VERSION_PATCHLEVEL));
  lines.text("number of blocks", fmt::format(" {}", lq::programs::largest_count(set)));
  if (memory) lines.text("sizeof internal struct", fmt::format("{:7} bytes 0 file descriptors", memory_of(set)));
}

void dump(const std::string& name, const lq::programs::DumpOptions& options) {
  const Set set = lq::programs::open_set(name);
  const std::vector<std::int64_t> widths = lq::programs::stored_widths(set);
  print_head(set, name, options.memory);
  lq::programs::print_filling(set, widths);
  if (options.chunks) lq::programs::print_chunks(set, widths, options.in_bytes);
  if (options.key_statistics) lq::programs::print_key_statistics(set);
  if (options.key_list) lq::programs::print_key_list(set);
  if (set.files().size() > 1) lq::programs::print_map(set, options);
}

}  // namespace

int main(int argc, char** argv) {
  const lq::programs::Program program = {"siondump", usage, "amMlkKSv"};
  return lq::programs::run(program, argc, argv, [](lq::programs::Arguments& arguments) {
    lq::programs::DumpOptions options;
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
