// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of multifiles: written, read, and rebuilt.
#include "options/shared_rows.hpp"

namespace lq::options {
namespace {

constexpr std::string_view no_verb = "only programs write streams";

Option compression_text() {
  return {.name = "compression",
          .meaning = "compression of each stream (default none)",
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
  auto result = table<C>("Writing a multifile, or appending to one", {"multifile.create", "multifile.append"});
  result.rows = {
      Row::row<&V::streams, &C::streams>(
          {.name = "streams",
           .meaning = "number of streams of this rank, each of them a task (default 1)",
           .advice = "For example one per thread, so that threads write without locks. With 0 a rank takes part and "
                     "writes nothing. Ranks may differ in it.",
           .ranks = Ranks::own,
           .bounds = {.least = 0},
           .aliases = {"tasks"}}),
      Row::row<&V::expected_bytes, &C::expected_bytes>(
          {.name = "expected_bytes",
           .meaning = "approximate size of each of these streams in bytes (default 0: unknown)",
           .advice = "A stream may grow to any size regardless of this value. A stream with an announced size of up to "
                     "4 MiB is "
                     "stored contiguously, larger ones in chunks of 4 to 64 MiB; a stream of unknown size is divided "
                     "into chunks of 1 MiB. Space that is announced but not written is a hole in the file, which "
                     "takes no disk space. Ranks may differ in it.",
           .ranks = Ranks::own}),
      Row::row<&V::files, &C::files>(
          {.name = "files",
           .meaning = "number of physical files, one per rank at most (default 0: chosen)",
           .advice = "0 chooses the number by the type of file system: up to 8 if it allows one writer at a time in a "
                     "file, as local ones do, otherwise one per 4096 ranks. 1 is easiest to copy. Ignored when a set "
                     "is appended to.",
           .bounds = {.least = 0}}),
      Row::row<&V::compression, &C::compression>(compression_text()),
      Row::row<&V::level, &C::level>(
          {.name = "level",
           .meaning = "level of the compression (default 0: the usual one)",
           .advice = "Higher levels give smaller files and take longer: 1 to 19 for zstd, 1 to 12 for lz4; negative "
                     "levels of zstd are faster. Change it only if disk space or disk speed is the limit."}),
      Row::row<&V::checksums, &C::checksums>(
          {.name = "checksums",
           .meaning = "checksum of every chunk (default yes)",
           .advice = "One CRC-32 per byte while it is in the cache. Readers compare it before they return a byte, and "
                     "repair uses it to find what is intact after a crash. Leave it on."}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::sync, &C::sync>(
          {.name = "sync",
           .meaning = "what has reached the disk when the set is closed (default full)",
           .advice = "As for fields: with full the set survives a power failure under its name, with data the bytes "
                     "do, none leaves it to the operating system."}),
      Row::row<&V::buffer_bytes, &C::buffer_bytes>(
          {.name = "buffer_bytes",
           .meaning = "size of each stream's write buffer in bytes (default 262144)",
           .advice = "A record is written per buffer, so larger buffers mean fewer calls and less overhead, but more "
                     "data that only flush() saves from a crash. Each stream has its own buffer: consider this with "
                     "many threads.",
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
  auto result = table<C>("Reading a multifile", {"multifile.open"});
  result.rows = {
      Row::row<&V::record_bytes, &C::record_bytes>(
          {.name = "record_bytes",
           .meaning = "windows begin and end at multiples of this number of bytes (default 1)",
           .advice = "Give the size of your record, so that no particle or event is divided when the bytes of all "
                     "tasks are distributed among readers."}),
      Row::row<&V::verify, &C::verify>(
          {.name = "verify",
           .meaning = "compare with the stored checksums (default checksum)",
           .advice = "Every chunk is compared before a byte of it is returned; a mismatch names file, task and bytes. "
                     "none accepts damaged chunks, to save what can be saved; a stream whose end was lost in a repair "
                     "then consists of what is left."}),
      Row::row<&V::accept_missing, &C::accept_missing>(
          {.name = "accept_missing",
           .meaning = "open a set even if some of its physical files are permanently lost",
           .advice = "Without it such a set is not opened, so that a part is not mistaken for the whole. With it the "
                     "streams of the existing files are read as usual; those of the lost files have no readable byte, "
                     "and the findings of the set name them. First look for a copy of the file."}),
  };
  for (Option& row : result.rows) row.not_in_lq = "lq reads and compares whole streams";
  return result;
}

Table repack_table() {
  using V = RepackOptions;
  using C = lq_repack_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Multifiles made from files, from multifiles, and from what is left of them",
                         {"pack", "unpack", "extract", "defragment", "repair"},
                         {"pack", "unpack", "extract", "export", "defrag", "repair"});
  Option compression = compression_text();
  compression.meaning = "compression of a checkpoint (default: unchanged)";
  result.rows = {
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::dry_run, &C::dry_run>(dry_run_text()),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
      Row::row<&V::block_size, &C::block_size>(
          {.name = "block_size",
           .meaning = "chunks are multiples of this number of bytes; 1 leaves no gaps",
           .advice = "0 uses the block size of the file system, or of the multifile that is read. Chunks of tasks "
                     "that write concurrently should not share a block; a set that is only read may be packed with 1.",
           .verbs = {"pack", "defrag"}}),
      Row::row<&V::unit, &C::unit>(
          {.name = "unit",
           .meaning = "data of a multifile come in multiples of this number of bytes, such as the size of a number or "
                      "of a write",
           .advice = "If an interrupted writer left no records, the end of a chunk is guessed from its last byte that "
                     "is not zero, and rounded up to this: 8 for doubles keeps those that end in zeros.",
           .bounds = {.least = 1},
           .verbs = {"repair"}}),
      Row::row<&V::checkpoint, &C::checkpoint>(
          {.name = "checkpoint",
           .meaning = "write records and checksums, whichever program wrote FILE: the result can be appended to",
           .advice = "If not given, a checkpoint stays a checkpoint, and the multifile of another program stays "
                     "plain. Switched off, streams are decompressed and written plainly, for programs that know only "
                     "plain multifiles; records, checksums and fields are left out.",
           .verbs = {"defrag"},
           .shorthands = {{"checkpoint", "yes",
                           "write records and checksums, whichever program wrote FILE: the result can be appended to"},
                          {"plain", "no",
                           "write only the streams of a checkpoint, decompressed: no records, no fields"}}}),
      Row::row<&V::compression, &C::compression>(std::move(compression)),
      Row::row<&V::verify, &C::verify>(
          {.name = "verify",
           .meaning = "accept no chunk of a checkpoint that disagrees with its checksum",
           .advice = "none accepts such chunks, and what is left of streams whose end was lost in a repair, and "
                     "reports them. Use it for the last copy of a set.",
           .verbs = {"defrag"},
           .shorthands = {{"no-verify", "none", "accept chunks that disagree with their checksums, and report them"}}}),
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
  auto result = table<C>("A multifile made in place from the remains of an interrupted one", {"multifile.repair"});
  result.rows = {Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
                 Row::row<&V::dry_run, &C::dry_run>(dry_run_text())};
  for (Option& row : result.rows) row.not_in_lq = "lq repair has it among the options of RepackOptions";
  return result;
}

}  // namespace lq::options
