// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files copied between folders, file systems and mounts: by all ranks together, checksummed while they move, and gone
// on with after a kill. The physical files of a multifile are one thing.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

namespace lq {

struct CopyOptions {
  // checksum: sums of blocks as they are read, kept beside an unfinished copy so that it can be resumed; what is read
  // is compared with the checksums of the source, and read twice where it has none. read_back: source and target are
  // also read again and compared. none: no sums, and an interrupted copy begins anew.
  Verify verify = Verify::checksum;
  bool resume = false;     // go on with what an interrupted copy left; files that are there already stay
  bool overwrite = false;  // replace existing files, which stay until the new ones are complete
  bool recursive = false;  // folders, with all that is in them; symbolic links stay links
  bool dry_run = false;    // check everything, write nothing
  Sync sync = Sync::full;
  std::uint64_t block_bytes = 8 * 1024 * 1024;  // moved, summed and recorded at a time by a rank
  Progress progress = {};
};

struct CopyReport {
  std::vector<std::string> files;   // written, by their new names; with dry_run: that would be
  std::uint64_t bytes = 0;          // of these
  std::uint64_t moved_bytes = 0;    // in this call; the others were there, and sound, from an interrupted copy
  std::uint64_t present_files = 0;  // that were there already: of the size and time of their source
  double seconds = 0;
  // What was left out, begun anew or found to be damaged. An error for each source that disagrees with its own
  // checksums, and was copied as it is.
  std::vector<Finding> findings;
};

// Collective. Each of `sources` to `target`: into it where it is a folder or ends in a slash, which it must with
// several sources, else by that name. "NAME:REST" is REST below the folders that the site profile calls NAME
// (Machine::targets), each of which gets a copy. A multifile goes with all its physical files and fields, whichever of
// them is named. Copies get the permissions and the time of their sources; those that replace a file its permissions.
// Until it is complete a copy is called .NAME.lq-copy, with its sums in .NAME.lq-copied (docs/formats/copied.md); what
// an error or a kill leaves is what `resume` goes on with, moving again only blocks that are missing or damaged.
// not_found, exists (a file, or the rest of another copy), no_space, wrong_state (the source has a journal), io (the
// source changed meanwhile), checksum_mismatch (read_back).
LQ_API CopyReport copy(const std::vector<std::string>& sources, const std::string& target,
                       const Communicator& communicator = {}, const CopyOptions& options = {});

}  // namespace lq
