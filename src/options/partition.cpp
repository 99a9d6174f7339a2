// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of files dealt out over subfiles.
#include <limequat/repartition.hpp>

#include "options/shared_rows.hpp"

namespace lq::options {

Table repartition_table() {
  using V = RepartitionOptions;
  using C = lq_repartition_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("RepartitionOptions", "lq_repartition_options", "Files as sets of subfiles, and back");
  result.functions = {"repartition"};
  result.verbs = {"repartition"};
  result.others.push_back(c_member("communicator", &C::communicator));
  result.rows = {
      Row::row<&V::to, &C::to>(
          {.name = "to",
           .meaning = "the new partition: \"t=block:4,x=cyclic:2\"; \"whole\", or none, is one plain file",
           .advice =
               "Cuts with commas between them: AXIS=block:PARTS, AXIS=cyclic:PARTS or AXIS=cyclic:PARTS:UNIT, where "
               "AXIS is x, y, z, t or a number from 0. An axis that is named again is cut within each of the parts "
               "that there are. The number of subfiles is the product of all PARTS. Take the one that matches how "
               "the file will be read; lq partition --access proposes it."}),
      Row::row<&V::folders, &C::folders>(
          {.name = "folders",
           .meaning = "where subfiles go, in turn: \"DIR,DIR\"",
           .advice =
               "Folders of several disks, mounts or servers; they must be there. Those that do not begin with a "
               "slash are in the folder of the new file, and move with it. Without it all are beside the new file."}),
      Row::row<&V::extents, &C::extents>(
          {.name = "extents",
           .meaning = "which array of the file is dealt out: \"16x16x16x32\", the fastest axis first",
           .advice =
               "Not needed for a set, or where a lattice file's first field lies in natural order in one piece or "
               "in part files: these say it. Without it other files are arrays of bytes, of one axis (x).",
           .is_extents = true}),
      Row::row<&V::element_bytes, &C::element_bytes>(
          {.name = "element_bytes",
           .meaning = "with extents: bytes of an element (default 1)",
           .advice = "Elements are never cut. For a field it is the bytes of a site.",
           .bounds = {.least = 1}}),
      Row::row<&V::begin, &C::begin>({.name = "begin",
                                      .meaning = "with extents: byte of the first element (default 0)",
                                      .advice = "What is before the array and behind it goes into the first subfile."}),
      Row::row<&V::verify, &C::verify>(
          {.name = "verify",
           .meaning = "how what moves is checked (default checksum)",
           .advice =
               "checksum takes a CRC-32 of every block as it is read, and keeps it beside the unfinished target, so "
               "that resume can tell which blocks have arrived whole; what is read is compared with the checksums of "
               "the source, and read twice where it has none. read_back also reads source and target again before "
               "the target gets its name, and compares them; a call that replaces its source always does. none leaves "
               "all of this out.",
           .shorthands = {{"verify", "read_back", "read the target again and compare, before it gets its name"},
                          {"no-verify", "none", "no checksums; an interrupted call begins anew"}}}),
      Row::row<&V::resume, &C::resume>(
          {.name = "resume",
           .meaning = "go on with what an interrupted call left",
           .advice = "Blocks that were recorded are read from the target and compared with their sums; those that are "
                     "missing or differ are moved again, the others not. What was left of another partition, or of a "
                     "source that has changed, is begun anew, and a finding says so. A target that is complete already "
                     "stays."}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::dry_run, &C::dry_run>(dry_run_text()),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
      Row::row<&V::block_bytes, &C::block_bytes>(
          {.name = "block_bytes",
           .meaning = "moved, summed and recorded at a time by a rank (default 8388608)",
           .advice = "Of the whole file. Each subfile gets its share of a block's pieces in one request; with many "
                     "subfiles larger blocks make larger requests. An interrupted call loses what was under way.",
           .bounds = {.least = 1}}),
  };
  result.rows.push_back(progress_row<V, C>());
  return result;
}

}  // namespace lq::options
