// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files in other pieces: a file into a set of subfiles in several folders, a set into another one, and back into one
// file, byte for byte; by all ranks together, checksummed while the bytes move, and gone on with after a kill.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>
#include <limequat/partition.hpp>

namespace lq {

struct RepartitionOptions {
  std::string to = {};  // the new partition, as Partition::parse takes it; "whole", or empty, is one plain file
  // Where subfiles go, in turn, with commas between; those that do not begin with a slash are in the folder of the new
  // file. Empty: into that folder.
  std::string folders = {};
  // Which array of the file is dealt out: empty is that of the set, or the sites of a lattice file's first field.
  std::string extents = {};          // "16x16x16x32"
  std::uint64_t element_bytes = 1;   // with extents
  std::uint64_t begin = 0;           // with extents: byte of the first element
  Verify verify = Verify::checksum;  // as CopyOptions::verify
  bool resume = false;               // go on with what an interrupted call left
  bool overwrite = false;            // replace an existing file, also the source itself; it stays until all is complete
  bool dry_run = false;              // check everything, write nothing
  Sync sync = Sync::full;
  std::uint64_t block_bytes = 8 * 1024 * 1024;  // moved, summed and recorded at a time by a rank
  Progress progress = {};
};

struct RepartitionReport {
  std::string from, to;                 // the partitions
  std::vector<std::string> files = {};  // the new file or description first, then its subfiles
  std::uint64_t bytes = 0;              // of the whole file
  std::uint64_t moved_bytes = 0;        // in this call; the others were there, and sound, from an interrupted one
  bool was_there = false;               // the target was complete already
  double seconds = 0;
  std::vector<Finding> findings = {};
};

// Collective. The file or set `from` (partitioned_file()) as `to`: a plain file, or the description of a set whose
// subfiles are called NAME.xxxxxxxx.0000 and so on; they are part of no set before the description has its name, which
// is the last step. A rank holds a block's piece of at most 8 MiB and what is gathered of it. Until it is complete the
// target is called .NAME.lq-copy, with sums in .NAME.lq-copied (docs/formats/copied.md); what an error or a kill leaves
// is what `resume` goes on with. Subfiles of a set that was replaced are removed. not_found, exists, no_space,
// invalid_argument, unsupported, malformed, truncated, wrong_state (the source has a journal), io (it changed
// meanwhile), checksum_mismatch (read_back).
LQ_API RepartitionReport repartition(const std::string& from, const std::string& to,
                                     const Communicator& communicator = {}, const RepartitionOptions& options = {});

}  // namespace lq
