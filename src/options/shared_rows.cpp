// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptions of options that several calls have.
#include "options/shared_rows.hpp"

namespace lq::options {

std::vector<Option> route_texts() {
  return {
      {.name = "strategy",
       .meaning = "how sites are transferred between ranks and file (default auto)",
       .advice =
           "auto uses the plan (\"lq plan\"), which takes into account the process grid, the file system and the site "
           "profile, and selects the strategy predicted to be fastest. direct: every rank moves its "
           "own rows; best if rows are long. shared: the rows of several ranks are combined in memory that "
           "a node shares, and written to the file in large chunks. pull: the same for writing, but the "
           "rank that writes copies the rows from its neighbours' memory; in reading it is shared. "
           "messages: rows are exchanged by messages within a node as well, which works everywhere. A "
           "strategy that is not possible is an error; it is never replaced silently. The file is the same "
           "with all of them."},
      {
          .name = "aggregators",
          .meaning = "ranks that access the file (default: chosen)",
          .advice = "0 lets the plan choose. Fewer ranks mean less contention for locks of the file system and more "
                    "messages; more ranks mean the opposite. With direct all ranks that hold sites access it. Set it "
                    "if your centre recommends a number of clients of its file system, for example a few per node.",
      },
      {.name = "chunk_bytes",
       .meaning = "bytes assembled and moved at a time (default: chosen)",
       .advice = "In an exchange: the size of each call to the file system. 0 lets the plan choose: 512 KiB to 1 "
                 "MiB, or 4 to 8 MiB on file systems whose servers have large blocks. It should be a multiple of "
                 "block or stripe; a value that memory_bytes cannot hold is refused or reduced, and the plan says "
                 "so. direct does not use it.",
       .aliases = {"chunk"}},
      {.name = "alignment",
       .meaning = "file domains begin at multiples of this number of bytes (default: block or stripe of the file "
                  "system)",
       .advice = "No two ranks write into one block or stripe, so none waits for a lock of another. 0 uses the "
                 "value that the file system reports. Set it if the file system hides its stripes, as network "
                 "mounts do; a value smaller than the true stripe costs time, a larger one only balance."},
      {.name = "memory_bytes",
       .meaning = "maximum number of bytes per rank, in addition to the field (default: chosen)",
       .advice = "Limits the chunks of an exchange: up to three being assembled, three arriving and four leaving. "
                 "0 is 16 MiB, or 64 MiB on file systems whose servers are fast with calls of 4 MiB and more (Lustre, "
                 "GPFS, BeeGFS and others with large blocks). "
                 "More memory allows larger chunks; below some hundred kilobytes the plan has to choose small "
                 "ones, and below eight sites it reports an error. Change it only if memory is short.",
       .aliases = {"memory"}},
      threads_text(),
      {.name = "profile",
       .meaning = "profile of the machine, or the name of a machine described in the library (default: the profile "
                  "of this site, if there is one)",
       .advice = "The file of numbers about machine and file system by which a strategy is chosen; \"lq doctor "
                 "--save-profile\" measures them and writes one. The library knows some machines by name: "
                 "alice-pvfs, bluegene-p, frontier-like, jaguar-xt4 and jugene. Rank 0 reads it once, and again when "
                 "it changes. If a "
                 "profile that is named here cannot be read, it is an error; if that of the site cannot be read, "
                 "it is a warning in the report. Use it for a file system that is not the one of the site "
                 "profile.",
       .aliases = {"machine"}},
  };
}

std::vector<Option> stripe_texts() {
  return {
      {.name = "stripe_count",
       .meaning = "servers that a new file is distributed over (default: by its size)",
       .advice = "For Lustre, CephFS and BeeGFS, where the program that creates a file may set it; other file "
                 "systems ignore it, and the report says so, as it does if the file system refuses. More servers "
                 "accept more bytes at a time, and each costs time when the file is opened, inspected and "
                 "removed. A number above the number of servers means all."},
      {.name = "stripe_bytes",
       .meaning = "contiguous bytes of a new file on one server (default: by its size)",
       .advice =
           "Available where stripe_count is. It is rounded up to what the file system accepts: multiples of 64 KiB, on "
           "BeeGFS powers of two. Between 1 and 4 MiB there is little to gain; a value smaller than the "
           "pieces that ranks write divides each of them into several requests. Ranks get domains of whole "
           "stripes."},
      {.name = "stripes_by_size",
       .meaning = "set what is not requested by the size of the file",
       .advice = "On Lustre: one stripe for files below 32 MiB, otherwise one for each 64 MiB of the first field, "
                 "up to the number of targets, in pieces of 1 MiB, or of 4 MiB from 1 GiB on. Folders whose "
                 "stripes grow with the file (progressive layouts), or that were given stripes of their own, are "
                 "not changed, nor are all other file systems, which would gain nothing.",
       .off = "leave the stripes of a new file as set by its folder"},
  };
}

std::vector<Option> limit_texts() {
  return {{.name = "limit_records",
           .meaning = "records that a file may have (default 1000000)",
           .advice = "A damaged or malicious file must not make its reader allocate without bounds: a file with more "
                     "records is refused as malformed. Raise it for an intact file that has more; each takes some "
                     "hundred bytes of memory.",
           .ranks = Ranks::own},
          {.name = "limit_text_bytes",
           .meaning = "bytes of one text record that is held in memory (default 16777216)",
           .advice = "Of a longer record only the beginning is read, or nothing; data are not affected. Raise it for "
                     "files whose metadata are that large.",
           .ranks = Ranks::own}};
}

Option threads_text() {
  return {.name = "threads",
          .meaning = "threads of each rank; 0: one for each core that it has to itself (default 0)",
          .advice =
              "They read, write, pack, check and compress in parallel; the results are the same to the last "
              "bit. 0 divides the cores that the ranks of a node may run on fairly among them, and uses one "
              "thread if there is little to do, and in the background, where the program computes at the same "
              "time. Buffers are per thread: the number of threads is limited so that all buffers fit into "
              "memory_bytes, if that is an option. Set 1 to keep a transfer to the calling thread. Only the "
              "calling thread calls your functions. Ranks may differ in it.",
          .ranks = Ranks::own,
          .bounds = {.least = 0, .most = 1024},
          .letter = 'j'};
}

Option block_bytes_text() {
  return {.name = "block_bytes",
          .meaning = "bytes packed at a time by a rank that moves its own rows, or 0 for a suitable size (default 0)",
          .advice =
              "With the strategy direct a rank packs this number of bytes while they are in the processor's "
              "cache, and passes them to the file system in one call. Larger blocks mean fewer calls, which "
              "suits network file systems; blocks larger than the second-level cache make packing wait for "
              "memory. 0 uses 512 KiB, or up to 4 MiB for writing to a file system whose calls wait for "
              "servers, as far as memory_bytes has space for one in each thread. Change it only if a "
              "measurement on your machine shows a gain.",
          .ranks = Ranks::own,
          .bounds = {.least = 0}};
}

Option overwrite_text() {
  return {.name = "overwrite",
          .meaning = "replace an existing file, which stays until the new one is complete",
          .advice =
              "Without it an existing file of that name is an error before the first byte is written. With it "
              "the old file stays under its name until the new one is complete and checked, and is then "
              "replaced in one step; there must be space for both. If the name is a symbolic link, the link is "
              "replaced, and its target stays.",
          .aliases = {"force"}};
}

Option observables_text() {
  return {.name = "observables",
          .meaning = "measure Wilson and Polyakov loops, energy and topological charge of gauge fields",
          .advice = "docs/guide/observables.md defines them. Gradient flow is added by flow_steps."};
}

std::vector<Option> flow_texts() {
  return {
      {.name = "flow_steps",
       .meaning = "steps of gradient flow, after each of which the field is measured (default 0)",
       .advice = "t0 and w0 are found if flow_steps * flow_step goes beyond them: some 3 to 10 in units of a^2 on "
                 "usual lattices. A step costs about as much as two sweeps of a heat bath.",
       .bounds = {.least = 0, .most = 100000}},
      {.name = "flow_step",
       .meaning = "flow time of a step in units of a^2 (default 0.01)",
       .advice = "The integrator is of third order: with 0.01 its error is some 1e-7 of the energy, with 0.05 some "
                 "2e-5. More than 0, at most 0.15, above which the integration is not stable.",
       .bounds = {.least = 0}},
  };
}

Option sync_at_the_end_text() {
  return {.name = "sync",
          .meaning = "what has reached the disk at the end (default full)",
          .advice =
              "With full the files survive a power failure under their names, with data their bytes do, none "
              "leaves it to the operating system."};
}

Option dry_run_text() {
  return {.name = "dry_run",
          .meaning = "check everything, write nothing",
          .advice =
              "Everything that can be known before the first byte is written causes the same error as in a "
              "real run: the source, the target and its folder, the format, the options. The report says what "
              "would be written. Damage in the data of the source is not found, because the data are not read."};
}

Option progress_text() {
  return {.name = "progress",
          .meaning = "called on rank 0 during a long operation, with the amount done and the total",
          .advice =
              "Only the ratio of the two numbers is meaningful. The function is called on the calling thread "
              "and must return soon; it may not call the library with the same communicator. An exception in "
              "C++ or Python, or lq_stop() called in C, ends the operation on all ranks, as a failure does. In "
              "Python there is a bar by default on a terminal and in notebooks (by tqdm if it is installed); "
              "True always shows one, False none.",
          .ranks = Ranks::own,
          .not_in_lq = "lq shows a bar on a terminal"};
}

}  // namespace lq::options
