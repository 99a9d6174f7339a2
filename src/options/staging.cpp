// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of files copied.
#include <limequat/staging.hpp>

#include "options/shared_rows.hpp"

namespace lq::options {

Table copy_table() {
  using V = CopyOptions;
  using C = lq_copy_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("CopyOptions", "lq_copy_options", "Copying files between folders and file systems");
  result.functions = {"copy"};
  result.verbs = {"copy"};
  result.others.push_back(c_member("communicator", &C::communicator));
  result.rows = {
      Row::row<&V::verify, &C::verify>(
          {.name = "verify",
           .meaning = "how copies are checked (default checksum)",
           .advice =
               "checksum takes a CRC-32 of every block as it is read, and keeps it beside an unfinished copy, so that "
               "resume can tell which blocks have arrived whole; what is read is compared with the checksums of the "
               "source, and read twice where it has none. read_back also reads source and copy again before the copy "
               "gets its name, each block by another rank than the one that wrote it, compares them, and examines the "
               "source as verify does: for file systems that are not trusted. none leaves all of this out.",
           .shorthands = {{"verify", "read_back", "read every copy again and compare, before it gets its name"},
                          {"no-verify", "none", "no checksums; an interrupted copy begins anew"}}}),
      Row::row<&V::resume, &C::resume>(
          {.name = "resume",
           .meaning = "go on with what an interrupted copy left; files that are there already stay",
           .advice =
               "Blocks that the interrupted copy recorded are read from the target and compared with their sums; "
               "those that are missing or differ are moved again, the others not. A target of the size and time of "
               "its source is taken to be its copy (with verify read_back it is compared first). A source that "
               "changed in between is copied anew, and a finding says so."}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::recursive, &C::recursive>(
          {.name = "recursive",
           .meaning = "folders, with all that is in them",
           .advice =
               "Files and folders below each source folder, in the order of their names; symbolic links are copied "
               "as links with the same text."}),
      Row::row<&V::dry_run, &C::dry_run>(dry_run_text()),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
      Row::row<&V::block_bytes, &C::block_bytes>(
          {.name = "block_bytes",
           .meaning = "moved, summed and recorded at a time by a rank (default 8388608)",
           .advice =
               "An interrupted copy loses what was under way: a block for each rank. Blocks of files of more than "
               "2^20 blocks are larger. Make it a multiple of the stripe of the target.",
           .bounds = {.least = 1}}),
  };
  result.rows.push_back(progress_row<V, C>());
  return result;
}

}  // namespace lq::options
