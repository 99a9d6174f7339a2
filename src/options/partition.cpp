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
           .advice = "Divisions separated by commas: AXIS=block:PARTS, AXIS=cyclic:PARTS or AXIS=cyclic:PARTS:UNIT, "
                     "where AXIS is x, y, z, t or a number from 0. An axis that is named again is divided within each "
                     "of the existing parts. The number of subfiles is the product of all PARTS. Choose the partition "
                     "that matches how the file will be read; lq partition --access proposes it."}),
      Row::row<&V::folders, &C::folders>(
          {.name = "folders",
           .meaning = "folders of the subfiles, round-robin: \"DIR,DIR\"",
           .advice = "Folders on several disks, mounts or servers; they must exist. Relative paths are below the "
                     "folder of the new file, and move with it. Without this option all subfiles are in the folder of "
                     "the new file."}),
      Row::row<&V::extents, &C::extents>(
          {.name = "extents",
           .meaning = "the array of the file that is distributed: \"16x16x16x32\", the fastest axis first",
           .advice = "Not needed for a set, or if the first field of a lattice file is contiguous in natural order or "
                     "in part files. Without it other files are arrays of bytes, of one axis (x).",
           .is_extents = true}),
      Row::row<&V::element_bytes, &C::element_bytes>(
          {.name = "element_bytes",
           .meaning = "with extents: bytes of an element (default 1)",
           .advice = "Elements are never divided. For a field give the bytes of a site.",
           .bounds = {.least = 1}}),
      Row::row<&V::begin, &C::begin>(
          {.name = "begin",
           .meaning = "with extents: byte of the first element (default 0)",
           .advice = "The bytes before and after the array are stored in the first subfile."}),
      Row::row<&V::verify, &C::verify>(
          {.name = "verify",
           .meaning = "how the transferred data are checked (default checksum)",
           .advice = "checksum computes a CRC-32 of every block as it is read, and stores it with the unfinished "
                     "target, so that resume can determine which blocks arrived intact; the data are compared with "
                     "the checksums of the source, or read twice if it has none. read_back also reads source and "
                     "target again before the target gets its name, and compares them; a call that replaces its "
                     "source always does so. none omits all of this.",
           .shorthands = {{"verify", "read_back", "read the target again and compare, before it gets its name"},
                          {"no-verify", "none", "no checksums; an interrupted call starts over"}}}),
      Row::row<&V::resume, &C::resume>(
          {.name = "resume",
           .meaning = "resume an interrupted call",
           .advice = "Recorded blocks are read from the target and compared with their sums; only blocks that are "
                     "missing or differ are moved again. If the unfinished target has another partition, or the "
                     "source has changed, the call starts over, and a finding says so. A target that is complete "
                     "already stays."}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::dry_run, &C::dry_run>(dry_run_text()),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
      Row::row<&V::block_bytes, &C::block_bytes>(
          {.name = "block_bytes",
           .meaning = "bytes moved, summed and recorded at a time by a rank (default 8388608)",
           .advice = "Bytes of the whole file. Each subfile receives its share of a block in one request; with many "
                     "subfiles larger blocks make larger requests. An interrupted call loses the blocks in transit.",
           .bounds = {.least = 1}}),
  };
  result.rows.push_back(progress_row<V, C>());
  return result;
}

}  // namespace lq::options
