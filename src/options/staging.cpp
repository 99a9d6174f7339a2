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
           .advice = "checksum computes a CRC-32 of every block as it is read, and stores it with the unfinished "
                     "copy, so that resume can determine which blocks arrived intact; the data are compared with the "
                     "checksums of the source, or read twice if it has none. read_back also reads source and copy "
                     "again before the copy gets its name, each block by another rank than the one that wrote it, "
                     "compares them, and examines the source as verify does: use it for file systems that you do not "
                     "trust. none omits all of this.",
           .shorthands = {{"verify", "read_back", "read every copy again and compare, before it gets its name"},
                          {"no-verify", "none", "no checksums; an interrupted copy starts over"}}}),
      Row::row<&V::resume, &C::resume>(
          {.name = "resume",
           .meaning = "resume an interrupted copy; existing files stay",
           .advice = "Blocks that the interrupted copy recorded are read from the target and compared with their "
                     "sums; only blocks that are missing or differ are moved again. A target with the size and time "
                     "of its source is assumed to be its copy (with verify read_back it is compared first). If a "
                     "source has changed in between, it is copied again from the beginning, and a finding says so."}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::recursive, &C::recursive>(
          {.name = "recursive",
           .meaning = "copy folders with all their contents",
           .advice =
               "Files and folders below each source folder, in the order of their names; symbolic links are copied "
               "as links with the same text."}),
      Row::row<&V::dry_run, &C::dry_run>(dry_run_text()),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
      Row::row<&V::block_bytes, &C::block_bytes>(
          {.name = "block_bytes",
           .meaning = "bytes moved, summed and recorded at a time by a rank (default 8388608)",
           .advice = "An interrupted copy loses what was in transit: a block for each rank. Files of more than 2^20 "
                     "blocks use larger blocks. Make it a multiple of the stripe of the target.",
           .bounds = {.least = 1}}),
  };
  result.rows.push_back(progress_row<V, C>());
  return result;
}

}  // namespace lq::options
