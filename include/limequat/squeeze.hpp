// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files in half of their bytes, and back byte for byte: links of SU(3) are stored as eight numbers each and what is
// missing to the original bits (docs/formats/squeezed.md). An archive is read like any other file.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>

#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

namespace lq {

struct SqueezeOptions {
  // checksum: each tile is decoded and compared before it is written, and compared with its sum before what it held is
  // written; read_back: and what was written is read again and compared; none: only sums that an archive holds.
  Verify verify = Verify::checksum;
  bool overwrite = false;  // replace an existing file, which stays until the new one is complete
  Sync sync = Sync::full;
  Progress progress = {};
  int threads = 0;  // of this rank; 0: as many as it has cores to itself
};

struct SqueezeReport {
  std::string format;                // of the original
  std::uint64_t original_bytes = 0;  // of the file that was, or will be, restored
  std::uint64_t archive_bytes = 0;
  std::uint64_t squeezed_bytes = 0;  // of the original that lie in tiles; the others are stored as they are
  std::uint64_t tiles = 0;
  double seconds = 0;
};

// Collective. The file `from`, or the set that it is one of, of any format whose fields lie in one piece or in blocks
// of the lattice, into the archive `to`. All ranks take part; a rank holds a few tiles, each below 1 MiB. not_found,
// exists, no_space, unsupported (no field lies so, an archive), checksum_mismatch (the data are not what the file's
// checksums say: nothing is written), and what scan() throws for damaged files.
LQ_API SqueezeReport squeeze(const std::string& from, const std::string& to, const Communicator& communicator = {},
                             const SqueezeOptions& options = {});

// Collective. The original out of the archive `from`, byte for byte; of a set all files or none, each `to` and what its
// name ended in. not_found, exists, no_space, malformed, truncated, checksum_mismatch (damage), unsupported (no
// archive).
LQ_API SqueezeReport unsqueeze(const std::string& from, const std::string& to, const Communicator& communicator = {},
                               const SqueezeOptions& options = {});

}  // namespace lq
