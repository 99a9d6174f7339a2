// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stores files in half of their bytes, and restores them byte for byte: links of SU(3) are stored as eight numbers and
// the differences to the original bits (docs/formats/squeezed.md). An archive is read like any other file.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>

#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

namespace lq {

struct SqueezeOptions {
  // checksum: each tile is decoded and compared before it is written, and compared with its sum before its contents are
  // restored; read_back: also reads the new file again and compares it; none: compares only sums in an archive.
  Verify verify = Verify::checksum;
  bool overwrite = false;  // replace an existing file, which stays until the new one is complete
  Sync sync = Sync::full;
  Progress progress = {};
  int threads = 0;  // of this rank; 0: as many as it has cores to itself
};

struct SqueezeReport {
  std::string format;                // of the original
  std::uint64_t original_bytes = 0;  // of the original file
  std::uint64_t archive_bytes = 0;
  std::uint64_t squeezed_bytes = 0;  // bytes of the original in tiles; the others are stored unchanged
  std::uint64_t tiles = 0;
  double seconds = 0;
};

// Collective. Writes the file `from`, or the set that it belongs to, of any format whose fields are contiguous or in
// blocks of the lattice, to the archive `to`. All ranks take part; a rank holds a few tiles, each below 1 MiB.
// not_found, exists, no_space, unsupported (no such field, or an archive), checksum_mismatch (the data disagree with
// the file's checksums: nothing is written), and errors for damaged files.
LQ_API SqueezeReport squeeze(const std::string& from, const std::string& to, const Communicator& communicator = {},
                             const SqueezeOptions& options = {});

// Collective. Restores the original of the archive `from`, byte for byte; of a set all files or none, each named `to`
// followed by the end of its name. not_found, exists, no_space, malformed, truncated, checksum_mismatch (damage),
// unsupported (not an archive).
LQ_API SqueezeReport unsqueeze(const std::string& from, const std::string& to, const Communicator& communicator = {},
                               const SqueezeOptions& options = {});

}  // namespace lq
