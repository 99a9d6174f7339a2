// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of files that are copied, divided into subfiles, squeezed and restored, and protected by parity.
#include "options/shared_rows.hpp"

namespace lq::options {

Table copy_table() {
  using V = CopyOptions;
  using C = lq_copy_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Copying files between folders and file systems", {"copy"}, {"copy"});
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
  append(result.rows, stripe_rows<V, C>());
  result.rows.push_back(progress_row<V, C>());
  return result;
}

// Rows of files distributed over subfiles.

Table repartition_table() {
  using V = RepartitionOptions;
  using C = lq_repartition_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Files as sets of subfiles, and back", {"repartition"}, {"repartition"});
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
                     "source has changed, the call starts over, and a finding says so. A target that is already "
                     "complete stays."}),
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

// Rows of files squeezed and restored.

Table squeeze_table() {
  using V = SqueezeOptions;
  using C = lq_squeeze_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Squeezing files and restoring them", {"squeeze", "unsqueeze"}, {"squeeze", "unsqueeze"});
  result.rows = {
      Row::row<&V::verify, &C::verify>(
          {.name = "verify",
           .meaning = "how the new file is checked (default checksum)",
           .advice = "checksum decodes each tile again before it is written and compares it with the original, whose "
                     "data are compared with the checksums of their file, or read twice if it has none; restored data "
                     "are always compared with the sums in the archive. read_back also reads the new file again "
                     "before it gets its name; a call that replaces its source always does so. none omits what is not "
                     "needed to find damage later.",
           .shorthands = {{"verify", "read_back", "read the new file again and compare, before it gets its name"},
                          {"no-verify", "none", "do not decode the encoded tiles again"}}}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
  };
  result.rows.push_back(threads_row<V, C>());
  result.rows.push_back(progress_row<V, C>());
  return result;
}

// Rows of sidecars with parity.

Table protect_table() {
  using V = ProtectOptions;
  using C = lq_protect_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Parity next to files", {"protect"}, {"protect"});
  result.rows = {
      Row::row<&V::parity, &C::parity>(
          {.name = "parity",
           .meaning = "size of the parity relative to the files: \"1%\" to \"100%\" (default 3%)",
           .advice =
               "3% means two parity blocks for 63 of a file, which restore a range of 2 MiB, or two of 1 MiB, in each "
               "window of 64 MiB or more. 10% means seven blocks, and so on. The time grows with the amount of "
               "parity. The smallest sidecars are a few kilobytes."}),
      Row::row<&V::lost_files, &C::lost_files>(
          {.name = "lost_files",
           .meaning = "number of lost files that a sidecar of several files can restore (default 2; 0: none)",
           .advice =
               "The parity of a set has at least this many times the size of its largest file, and at least `parity`: "
               "two of 62 files of equal size are 3.2% of the total, two of four files are half. 0 protects several "
               "files against damage only, at the cost of `parity`. It has no effect on a sidecar of a single file.",
           .bounds = {.least = -1, .most = 62}}),
      Row::row<&V::together, &C::together>(
          {.name = "together",
           .meaning = "one sidecar for all FILEs, which must be in one folder",
           .advice = "Its name is files.set.lq-parity, as for a whole folder. Files cannot be added to it: to protect "
                     "additional files, protect all of them again."}),
      Row::row<&V::check, &C::check>(
          {.name = "check",
           .meaning = "write nothing: compare files with the sidecars that they have",
           .advice = "Every block of the files and of the sidecars is compared with its sum. Damaged bytes are listed, "
                     "and whether they can be restored. Files without a sidecar are also listed."}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::accept_damage, &C::accept_damage>(
          {.name = "accept_damage",
           .meaning = "protect files in their current state, although they differ from their older sidecars",
           .advice = "A file that has a sidecar is compared with it before it is replaced. Bytes that "
                     "differ, and that no checksum of the file proves, may be damage, which the new sidecar would "
                     "preserve: this is refused without this option, and so is dropping a missing file that the old "
                     "sidecar can restore. `lq repair` restores both. Files that disagree with their own checksum "
                     "are always refused."}),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
  };
  result.rows.push_back(threads_row<V, C>());
  result.rows.push_back(progress_row<V, C>());
  return result;
}

}  // namespace lq::options
