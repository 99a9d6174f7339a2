// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is said of options that several calls have.
#include "options/shared_rows.hpp"

namespace lq::options {

std::vector<Option> route_texts() {
  return {
      {.name = "strategy",
       .meaning = "how sites travel between ranks and file (default auto)",
       .advice =
           "auto asks the plan (\"lq plan\"), which knows the process grid, the file system and the site profile, and "
           "takes "
           "what it predicts to be fastest. direct: every rank moves its own rows; best when rows are long. shared: "
           "rows of "
           "several ranks meet in memory that a node shares, and go on to the file in large chunks. pull: the same "
           "when "
           "writing, but the rank that writes takes the rows out of its neighbours' memory; reading it is shared. "
           "messages: "
           "they meet by messages within a node, too, which works everywhere. A strategy that is not possible is an "
           "error, never another one in silence. The file is the same with all of them."},
      {
          .name = "aggregators",
          .meaning = "ranks that touch the file (default: chosen)",
          .advice =
              "0 lets the plan choose. Fewer mean less contention for locks of the file system and more messages; "
              "more mean the opposite. With direct all ranks that hold sites touch it. Set it when your centre says "
              "how many clients of its file system are good, for example a few per node.",
      },
      {.name = "chunk_bytes",
       .meaning = "bytes assembled and moved at a time (default: chosen)",
       .advice =
           "Of an exchange: the size of each call to the file system. 0 lets the plan choose, some mebibytes as a "
           "rule. It should be a multiple of block or stripe; what memory_bytes cannot hold is refused or made "
           "smaller by the plan. direct does not use it.",
       .aliases = {"chunk"}},
      {.name = "alignment",
       .meaning = "file domains begin at multiples of it (default: block or stripe of the file system)",
       .advice =
           "No two ranks write into one block or stripe, so that none waits for a lock of another. 0 takes what the "
           "file system tells. Give it where the file system hides its stripes, as network mounts do; anything "
           "that is smaller than the true stripe costs time, anything larger only balance."},
      {.name = "memory_bytes",
       .meaning = "bytes per rank at most, beyond the field (default 16777216)",
       .advice =
           "Bounds the chunks of an exchange: up to three being assembled, three arriving and four leaving. More "
           "memory allows larger chunks; below some hundred kilobytes the plan has to choose small ones, and below "
           "eight sites it refuses. Leave it alone unless memory is short.",
       .aliases = {"memory"}},
      threads_text(),
      {.name = "profile",
       .meaning =
           "profile of the machine, or the name of one described here (default: that of this site, if there is one)",
       .advice =
           "The file of numbers about machine and file system by which a strategy is chosen; \"lq doctor "
           "--save-profile\" measures them and writes one. The library knows some machines by name: alice-pvfs, "
           "bluegene-p and frontier-like. Rank 0 reads it, once and again when it changes. One that "
           "is named here and cannot be read is an error; that of the site is a warning in the report then. Give it "
           "for a file system that is not the one of the site profile.",
       .aliases = {"machine"}},
  };
}

std::vector<Option> stripe_texts() {
  return {
      {.name = "stripe_count",
       .meaning = "servers that a new file is spread over (default: by its size)",
       .advice =
           "Of Lustre, CephFS and BeeGFS, which let whoever makes a file say it; what else there is ignores it, "
           "and "
           "the report says so, as it does where the file system refuses. More servers take more bytes at a time, "
           "and each costs time when the file is opened, looked at and removed. More than there are means all."},
      {.name = "stripe_bytes",
       .meaning = "bytes of a new file in one piece on a server (default: by its size)",
       .advice =
           "As stripe_count. It is rounded up to what the file system takes: multiples of 64 KiB, on BeeGFS powers "
           "of two. Between 1 and 4 MiB there is little to gain; what is smaller than the pieces that ranks write "
           "cuts each of them into several requests. Ranks get domains of whole stripes."},
      {.name = "stripes_by_size",
       .meaning = "what is not asked for is set by the size of the file",
       .advice =
           "On Lustre: one stripe for files below 32 MiB, else one for each 64 MiB of the first field, on as many "
           "targets as there are at most, in pieces of 1 MiB, from 1 GiB on of 4 MiB. Folders whose stripes grow "
           "with the file (progressive layouts), or that were given stripes of their own, are left alone, and so "
           "are all other file systems, where nothing is gained by it.",
       .off = "leave the stripes of a new file as its folder has them"},
  };
}

std::vector<Option> limit_texts() {
  return {
      {.name = "limit_records",
       .meaning = "records that a file may have (default 1000000)",
       .advice =
           "A damaged or hostile file must not make its reader allocate without bounds: a file of more records is "
           "refused as malformed. Raise it for a sound file that has more; each takes some hundred bytes of memory.",
       .ranks = Ranks::own},
      {.name = "limit_text_bytes",
       .meaning = "bytes of one text record that is held in memory (default 16777216)",
       .advice =
           "Of a longer one only the beginning or nothing is looked at; data are not concerned. Raise it for files "
           "whose metadata are that large.",
       .ranks = Ranks::own}};
}

Option threads_text() {
  return {.name = "threads",
          .meaning = "threads of each rank, or 0 for as many as it has cores to itself (default 0)",
          .advice =
              "They read, write, pack, check and compress side by side; what results is the same to the last bit. 0 "
              "shares the cores that the ranks of a node may run on fairly among them, and takes one thread where "
              "there is little to do, and in the background, where the program computes meanwhile. Buffers are per "
              "thread: as many threads run as have room within memory_bytes where that is an option. Set 1 to keep a "
              "transfer to the calling thread. Functions of yours are called by the calling thread alone. Ranks may "
              "differ in it.",
          .ranks = Ranks::own,
          .bounds = {.least = 0, .most = 1024},
          .letter = 'j'};
}

Option block_bytes_text() {
  return {.name = "block_bytes",
          .meaning = "packed at a time by a rank that moves its own rows, or 0 for what suits (default 0)",
          .advice =
              "With the strategy direct a rank packs so much while it is in the processor's cache, and hands it to "
              "the file system in one call. Larger blocks mean fewer calls, which network file systems like; blocks "
              "beyond the second-level cache make packing wait for memory. 0 takes 512 KiB, and for writing to a file "
              "system whose calls wait for servers up to 4 MiB, as far as memory_bytes has room for one in each "
              "thread. Leave it alone unless a measurement on your machine says otherwise.",
          .ranks = Ranks::own,
          .bounds = {.least = 0}};
}

Option overwrite_text() {
  return {.name = "overwrite",
          .meaning = "replace an existing file, which stays until the new one is complete",
          .advice =
              "Without it a file of that name is an error before the first byte is written. With it the old file "
              "stays under its name until the new one is complete and checked, and then goes in one step; there must "
              "be space for both. Of a symbolic link the link is replaced, its target stays.",
          .aliases = {"force"}};
}

Option sync_at_the_end_text() {
  return {.name = "sync",
          .meaning = "what has reached the disk at the end (default full)",
          .advice =
              "full survives a power failure with its names, data with its bytes, none leaves it to the operating "
              "system."};
}

Option dry_run_text() {
  return {.name = "dry_run",
          .meaning = "check everything, write nothing",
          .advice =
              "Whatever can be known before the first byte is written is an error as it would be then: the source, the "
              "target "
              "and its folder, the format, the options. The report says what would be written. Damage in the data of "
              "the source is not found, for these are not read."};
}

Option progress_text() {
  return {
      .name = "progress",
      .meaning = "called on rank 0 while a long operation runs, with what is done and the total",
      .advice =
          "The unit is its own, so that only the ratio means something. It is called on the calling thread and must "
          "return soon; it may not call the library with the same communicator. What it throws in C++, raises in "
          "Python, or "
          "lq_stop() called by it in C, ends the work on all ranks, as a failure does. In Python there is a bar by "
          "default "
          "on a terminal and in notebooks (of tqdm where that is there); True always shows one, False none.",
      .ranks = Ranks::own,
      .not_in_lq = "lq shows a bar on a terminal"};
}

}  // namespace lq::options
