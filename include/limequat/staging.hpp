// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies files between folders, file systems and mounts: by all ranks together, checksummed in transit; an interrupted
// copy can be resumed. The physical files of a multifile are one unit.
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
  // checksum: computes sums of blocks while reading, and stores them next to an unfinished copy so that it can be
  // resumed; compares the data with the checksums of the source, or reads them twice if it has none. read_back: also
  // reads source and target again and compares them. none: no sums, and an interrupted copy starts over.
  Verify verify = Verify::checksum;
  bool resume = false;     // resume an interrupted copy; files that exist already stay
  bool overwrite = false;  // replace existing files, which stay until the new ones are complete
  bool recursive = false;  // copy folders with their contents; symbolic links stay links
  bool dry_run = false;    // check everything, write nothing
  Sync sync = Sync::full;
  std::uint64_t block_bytes = 8 * 1024 * 1024;  // moved, summed and recorded at a time by a rank
  // Of each new file, as in WriteOptions.
  std::uint64_t stripe_count = 0;
  std::uint64_t stripe_bytes = 0;
  bool stripes_by_size = true;
  Progress progress = {};
};

struct CopyReport {
  std::vector<std::string> files;   // written, by their new names; with dry_run: those that would be
  std::uint64_t bytes = 0;          // of these
  std::uint64_t moved_bytes = 0;    // in this call; an interrupted copy had moved the others, which are intact
  std::uint64_t present_files = 0;  // that existed already, with the size and time of their source
  double seconds = 0;
  // What was left out, started over or found damaged. An error for each source that disagrees with its own checksums,
  // and was copied unchanged.
  std::vector<Finding> findings;
};

// Collective. Copies each of `sources` to `target`: into it if it is a folder or ends in a slash (required for several
// sources), otherwise under that name. "NAME:REST" is REST below the folders that the site profile calls NAME
// (Machine::targets), each of which gets a copy. A multifile is copied with all its physical files and fields,
// whichever of them is named. Copies get the permissions and the time of their sources; a copy that replaces a file
// keeps the permissions of that file. Until it is complete, a copy is called .NAME.lq-copy, with its sums in
// .NAME.lq-copied (docs/formats/copied.md); after an error or a kill, `resume` moves only blocks that are missing or
// damaged. not_found, exists (a file, or the rest of another copy), no_space, wrong_state (the source has a journal),
// io (the source changed during the copy), checksum_mismatch (read_back).
LQ_API CopyReport copy(const std::vector<std::string>& sources, const std::string& target,
                       const Communicator& communicator = {}, const CopyOptions& options = {});

}  // namespace lq
