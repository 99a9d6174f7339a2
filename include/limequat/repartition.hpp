// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Converts a file to a set of subfiles in several folders, a set to another one, and back to one file, byte for byte;
// by all ranks together, checksummed in transit; an interrupted conversion can be resumed.
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
  std::string to = {};  // the new partition, as for Partition::parse; "whole", or empty, is one plain file
  // Folders of the subfiles, assigned round-robin, separated by commas; relative ones are below the folder of the new
  // file. Empty: that folder.
  std::string folders = {};
  // The array of the file that is distributed; empty: the array of the set, or the sites of a lattice file's first
  // field.
  std::string extents = {};          // "16x16x16x32"
  std::uint64_t element_bytes = 1;   // with extents
  std::uint64_t begin = 0;           // with extents: byte of the first element
  Verify verify = Verify::checksum;  // as CopyOptions::verify
  bool resume = false;               // resume an interrupted call
  bool overwrite = false;            // replace an existing file, even the source, when the new one is complete
  bool dry_run = false;              // check everything, write nothing
  Sync sync = Sync::full;
  std::uint64_t block_bytes = 8 * 1024 * 1024;  // moved, summed and recorded at a time by a rank
  Progress progress = {};
};

struct RepartitionReport {
  std::string from, to;                 // the partitions
  std::vector<std::string> files = {};  // the new file or description first, then its subfiles
  std::uint64_t bytes = 0;              // of the whole file
  std::uint64_t moved_bytes = 0;        // in this call; an interrupted one had moved the others, which are intact
  bool was_there = false;               // the target was complete already
  double seconds = 0;
  std::vector<Finding> findings = {};
};

// Collective. Writes the file or set `from` (partitioned_file()) as `to`: a plain file, or the description of a set
// whose subfiles are called NAME.xxxxxxxx.0000 and so on; they belong to no set until the description gets its name, in
// the last step. A rank holds a piece of a block, at most 8 MiB, and what is gathered from it. Until it is complete,
// the target is called .NAME.lq-copy, with sums in .NAME.lq-copied (docs/formats/copied.md); after an error or a kill,
// `resume` continues from these. Subfiles of a replaced set are removed. not_found, exists, no_space, invalid_argument,
// unsupported, malformed, truncated, wrong_state (the source has a journal), io (it changed during the call),
// checksum_mismatch (read_back).
LQ_API RepartitionReport repartition(const std::string& from, const std::string& to,
                                     const Communicator& communicator = {}, const RepartitionOptions& options = {});

}  // namespace lq
