// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parity next to files: a sidecar with checksums of every block and Reed-Solomon parity, with which lq::verify() finds
// any change of a file and lq::repair() undoes it (docs/formats/parity.md). The files themselves are not changed.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>

namespace lq {

struct ProtectOptions {
  std::string parity =
      "3%";  // bytes of parity relative to the files: "1%" to "100%", or a number from 0.01 to 1; empty: 3%
  // With a sidecar for several files: the number of lost files that can be restored. -1: 2; 0: none, only damage in
  // each window of 64 MiB or more, as with one file.
  int lost_files = -1;
  bool together = false;   // one sidecar for all named files, files.set.lq-parity in their folder
  bool check = false;      // write nothing: compare the files with their existing sidecars
  bool overwrite = false;  // replace an existing sidecar, which stays until the new one is complete
  // Protect files that differ from an older sidecar and that their own sums do not prove, and drop missing files that
  // it could restore; otherwise these are refused (checksum_mismatch).
  bool accept_damage = false;
  Sync sync = Sync::full;
  Progress progress = {};
  int threads = 0;  // of this rank; 0: as many as it has cores to itself
};

enum class ProtectedState {
  intact,       // no byte has changed since the file was protected
  damaged,      // blocks differ, and all of them can be restored
  lost,         // blocks differ, and not all of them can be restored
  changed,      // rewritten or extended since, according to its own sums or the extent of differences: protect it again
  unproven,     // nothing differs, but the sums of some blocks are damaged
  unprotected,  // no sidecar covers it
};
LQ_API std::string_view name(ProtectedState state) noexcept;  // "intact", ...

// A range of bytes of a file.
struct ByteRange {
  std::uint64_t offset = 0, length = 0;
};

struct ProtectedFile {
  std::string path;
  std::string sidecar = {};  // empty: none
  std::uint64_t bytes = 0;   // when it was protected
  ProtectedState state = ProtectedState::intact;
  bool is_missing = false;
  std::vector<ByteRange> damaged = {};  // blocks that differ
  std::vector<ByteRange> lost = {};     // blocks of these that cannot be restored
};

struct ProtectReport {
  std::vector<std::string> sidecars;  // written, or found with `check`
  std::vector<ProtectedFile> files;
  std::uint64_t bytes = 0;          // of the files
  std::uint64_t sidecar_bytes = 0;  // of all sidecars
  // A damaged stretch of `stretch_bytes` in each window of `window_bytes` can be restored, the minimum of all sidecars;
  // in sets with lost files, a whole file.
  std::uint64_t stretch_bytes = 0, window_bytes = 0;
  std::uint32_t lost_files = 0;  // number of lost files that every sidecar can restore
  bool ok = true;                // with `check`: all files and all sidecars are intact
  double seconds = 0;
  std::vector<Finding> findings;  // files that nothing proves, and what `check` found
};

// Collective. Writes a sidecar NAME.lq-parity next to each file; for files that belong together (a multifile, a file
// with part files, a checkpoint) one NAME.set.lq-parity; for all files of a folder, and of each folder in it, one
// files.set.lq-parity in that folder, so that lost files can also be restored. Hidden and temporary files, links and
// sidecars in folders are left out. Each file is verified first: checksum_mismatch (it disagrees with its own sums),
// truncated, malformed: no sidecar is written. A file without sums is protected in its present state, with a finding.
// A file that has a sidecar is compared with it: checksum_mismatch if it differs and nothing shows that it was changed
// on purpose (its own sums have changed and agree, its size, most of its bytes), or if the sidecar could still restore
// a missing file. options.accept_damage overrides this. invalid_argument (parity, lost_files, files of several folders
// together), exists (a sidecar), not_found, no_space, io (a file changed during the call).
LQ_API ProtectReport protect(const std::vector<std::string>& paths, const Communicator& communicator = {},
                             const ProtectOptions& options = {});

}  // namespace lq
