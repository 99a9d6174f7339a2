// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of multifiles: written, read, and made anew.
#include <limequat/repack.hpp>

#include "options/shared_rows.hpp"

namespace lq::options {
namespace {

constexpr std::string_view no_verb = "streams are written by programs";

Option compression_text() {
  return {.name = "compression",
          .meaning = "of each stream (default none)",
          .advice =
              "Each rank compresses its own bytes. lz4 costs little and helps with zeros, counters and text; zstd is "
              "smaller and slower. Random mantissas of floating-point numbers do not shrink with either. "
              "A library built without one of them refuses it."};
}

}  // namespace

Table multifile_table() {
  using V = MultifileOptions;
  using C = lq_multifile_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("MultifileOptions", "lq_multifile_options", "Writing a multifile, or going on with one");
  result.functions = {"multifile.create", "multifile.append"};
  result.others.push_back(c_member("communicator", &C::communicator));
  result.rows = {
      Row::row<&V::streams, &C::streams>({.name = "streams",
                                          .meaning = "of this rank: a task each (default 1)",
                                          .advice =
                                              "For example one per thread, which then write without locks. 0 is a "
                                              "rank that takes part and writes nothing. Ranks may differ in it.",
                                          .ranks = Ranks::own,
                                          .bounds = {.least = 0},
                                          .aliases = {"tasks"}}),
      Row::row<&V::expected_bytes, &C::expected_bytes>(
          {.name = "expected_bytes",
           .meaning = "of each of these streams, roughly (default 0: not known)",
           .advice =
               "Any size fits, whatever this says. A stream of up to 4 MiB that is announced lies in one piece, "
               "larger ones in chunks of 4 to 64 MiB; one of which nothing is known is cut into chunks of 1 MiB. "
               "Space that is announced and not written is a hole in the file, which takes no disk. Ranks may differ "
               "in it.",
           .ranks = Ranks::own}),
      Row::row<&V::files, &C::files>({.name = "files",
                                      .meaning = "physical files, one per rank at most (default 0: chosen)",
                                      .advice =
                                          "0 takes as many as the file system wants: up to 8 where it lets one "
                                          "writer at a time into a file, as local ones do, and one per 4096 ranks "
                                          "elsewhere. 1 is easiest to copy. Not looked at when a set is gone on "
                                          "with.",
                                      .bounds = {.least = 0}}),
      Row::row<&V::compression, &C::compression>(compression_text()),
      Row::row<&V::level, &C::level>({.name = "level",
                                      .meaning = "of the compression (default 0: its usual one)",
                                      .advice = "Higher is smaller and slower: 1 to 19 of zstd, 1 to 12 of lz4; "
                                                "negative ones of zstd are faster. Leave it "
                                                "alone unless the disk is what is short."}),
      Row::row<&V::checksums, &C::checksums>({.name = "checksums",
                                              .meaning = "of every chunk (default yes)",
                                              .advice = "One CRC-32 per byte while it is in the cache. Readers compare "
                                                        "before they hand out a byte, and repair knows "
                                                        "what is whole after a crash. Leave it on."}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::sync, &C::sync>(
          {.name = "sync",
           .meaning = "what has reached the disk when the set is closed (default full)",
           .advice =
               "As for fields: full survives a power failure with its name, data with its bytes, none leaves it to the "
               "operating system."}),
      Row::row<&V::buffer_bytes, &C::buffer_bytes>(
          {.name = "buffer_bytes",
           .meaning = "smaller writes of a stream are collected in so much memory (default 262144)",
           .advice = "A record is written per buffer, so that larger ones mean fewer calls and less overhead, and more "
                     "that only flush() saves from a crash. Each stream has its own: think of it with many threads.",
           .bounds = {.least = 1}}),
  };
  append(result.rows, stripe_rows<V, C>());
  for (Option& row : result.rows) row.not_in_lq = no_verb;
  return result;
}

Table multifile_read_table() {
  using V = MultifileReadOptions;
  using C = lq_multifile_read_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("MultifileReadOptions", "lq_multifile_read_options", "Reading a multifile");
  result.functions = {"multifile.open"};
  result.others.push_back(c_member("communicator", &C::communicator));
  result.rows = {
      Row::row<&V::record_bytes, &C::record_bytes>(
          {.name = "record_bytes",
           .meaning = "windows begin and end at multiples of it (default 1)",
           .advice =
               "So that no particle or event is cut where the bytes of all tasks are dealt out among readers: give the "
               "size of your record."}),
      Row::row<&V::verify, &C::verify>({.name = "verify",
                                        .meaning = "compare with the checksums there are (default checksum)",
                                        .advice = "Every chunk is compared before a byte of it is handed out; a "
                                                  "mismatch names file, task and bytes. none takes "
                                                  "damaged chunks as they are, to save what can be saved; a stream "
                                                  "of which a repair lost the end then has just what is left."}),
      Row::row<&V::accept_missing, &C::accept_missing>(
          {.name = "accept_missing",
           .meaning = "open a set of which physical files are lost for good",
           .advice =
               "Without it such a set is not opened, so that nobody takes a part for the whole. With it the streams of "
               "the files that are there are read as ever; those of the others have no byte that can be read, and the "
               "findings of the set name them. First look for a copy of the file."}),
  };
  for (Option& row : result.rows) row.not_in_lq = "lq reads whole streams, and compares them";
  return result;
}

Table repack_table() {
  using V = RepackOptions;
  using C = lq_repack_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("RepackOptions", "lq_repack_options",
                            "Multifiles made of files, of multifiles, and of what is left of them");
  result.functions = {"pack", "unpack", "extract", "defragment", "repair"};
  result.verbs = {"pack", "unpack", "extract", "export", "defrag", "repair"};
  Option compression = compression_text();
  compression.meaning = "of a checkpoint (default: as it is)";
  result.rows = {
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::dry_run, &C::dry_run>(dry_run_text()),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
      Row::row<&V::block_size, &C::block_size>(
          {.name = "block_size",
           .meaning = "chunks are multiples of so many bytes; 1 leaves no gaps",
           .advice =
               "0 takes the block of the file system, or that of the multifile that is read. Chunks of tasks that "
               "are written side by side should not share a block; a set that is only read may be packed with 1.",
           .verbs = {"pack", "defrag"}}),
      Row::row<&V::unit, &C::unit>(
          {.name = "unit",
           .meaning =
               "of a multifile: data came in multiples of so many bytes, such as the size of a number or of a write",
           .advice =
               "Where an interrupted writer left no records, the end of a chunk is guessed from its last byte that "
               "is not zero, and rounded up to this: 8 for doubles keeps those that end in zeros.",
           .bounds = {.least = 1},
           .verbs = {"repair"}}),
      Row::row<&V::checkpoint, &C::checkpoint>(
          {.name = "checkpoint",
           .meaning = "with records and checksums, whoever wrote FILE: it can be appended to",
           .advice =
               "Left out, a checkpoint stays one, and the multifile of another program stays plain. Switched off, "
               "streams are decompressed and written plainly, for programs that know no better; records, checksums "
               "and fields are left behind.",
           .verbs = {"defrag"},
           .shorthands = {{"checkpoint", "yes",
                           "with records and checksums, whoever wrote FILE: it can be appended to"},
                          {"plain", "no", "of a checkpoint the streams only, decompressed: no records, no fields"}}}),
      Row::row<&V::compression, &C::compression>(std::move(compression)),
      Row::row<&V::verify, &C::verify>(
          {.name = "verify",
           .meaning = "of a checkpoint: take no chunk that disagrees with its checksum",
           .advice =
               "none takes such chunks as they are, and what is left of streams of which a repair lost the end, and "
               "says which. For the last copy of something.",
           .verbs = {"defrag"},
           .shorthands = {{"no-verify", "none",
                           "take chunks that disagree with their checksums as they are, and say which"}}}),
  };
  for (Option& row : result.rows) {
    if (row.name == "compression") row.verbs = {"defrag"};
  }
  append(result.rows, limit_rows<V, C, &V::limits>());
  result.rows.push_back(threads_row<V, C>());
  result.rows.back().verbs = {"pack", "unpack", "extract", "defrag", "repair"};
  result.rows.push_back(progress_row<V, C>());
  return result;
}

Table repair_table() {
  using V = RepairOptions;
  using C = lq_multifile_repair_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("RepairOptions", "lq_multifile_repair_options",
                            "A multifile made of what an interrupted writer left, where it lies");
  result.functions = {"multifile.repair"};
  result.rows = {Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
                 Row::row<&V::dry_run, &C::dry_run>(dry_run_text())};
  for (Option& row : result.rows) row.not_in_lq = "lq repair has it among the options of RepackOptions";
  return result;
}

}  // namespace lq::options
