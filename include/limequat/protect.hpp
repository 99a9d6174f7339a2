// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parity next to files: a sidecar with sums of every block and Reed-Solomon parity, by which lq::verify() finds any
// change of a file and lq::repair() undoes it (docs/formats/parity.md). The files themselves stay as they are.
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
      "3%";  // bytes of parity for those of the files: "1%" to "100%", or a number from 0.01 to 1; empty: 3%
  // With a sidecar for several files: so many of them come back when they are lost. -1: 2; 0: none, each window of 64
  // MiB or more may have damage, as with one file.
  int lost_files = -1;
  bool together = false;   // all files that are named have one sidecar, files.set.lq-parity in their folder
  bool check = false;      // write nothing: compare the files with the sidecars that they have
  bool overwrite = false;  // replace an existing sidecar, which stays until the new one is complete
  // Files that differ from what an older sidecar says of them, and whose own sums do not prove them, are protected as
  // they are, and files that it could bring back are forgotten; else they are refused (checksum_mismatch).
  bool accept_damage = false;
  Sync sync = Sync::full;
  Progress progress = {};
  int threads = 0;  // of this rank; 0: as many as it has cores to itself
};

enum class ProtectedState {
  intact,       // every byte is as it was when the file was protected
  damaged,      // blocks differ, and all of them come back
  lost,         // blocks differ, and not all of them come back
  changed,      // written anew or added to since, by its own sums or by how much differs: it is to be protected again
  unproven,     // nothing differs, but the sums of some blocks are damaged themselves
  unprotected,  // no sidecar covers it
};
LQ_API std::string_view name(ProtectedState state) noexcept;  // "intact", ...

// Bytes of a file.
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
  std::vector<ByteRange> lost = {};     // of these, those that do not come back
};

struct ProtectReport {
  std::vector<std::string> sidecars;  // written, or with `check` found
  std::vector<ProtectedFile> files;
  std::uint64_t bytes = 0;          // of the files
  std::uint64_t sidecar_bytes = 0;  // of all sidecars
  // A stretch of so many bytes comes back in each window of so many bytes, the least of all sidecars; of sets with
  // lost files, all of a file.
  std::uint64_t stretch_bytes = 0, window_bytes = 0;
  std::uint32_t lost_files = 0;  // so many lost files of each sidecar come back, the least of all sidecars
  bool ok = true;                // with `check`: all files are intact, and all sidecars whole
  double seconds = 0;
  std::vector<Finding> findings;  // files that nothing proves, and what `check` found
};

// Collective. Writes a sidecar NAME.lq-parity next to each file; for files that belong together (a multifile, a file
// with part files, a checkpoint) one NAME.set.lq-parity; for all files of a folder, and of each folder in it, one
// files.set.lq-parity in that, so that files which are lost come back, too. Hidden and temporary files, links and
// sidecars in folders are left out. Each file is verified first: checksum_mismatch (it disagrees with its own sums),
// truncated, malformed: no sidecar is written. One that has no sums is protected as it is, and a finding says so.
// One that had a sidecar is compared with it: checksum_mismatch where it differs and nothing says that it was changed
// on purpose (its own sums are others and agree, its size, most of its bytes), or where the sidecar could still bring a
// missing file back. options.accept_damage insists. invalid_argument (parity, lost_files, files of several folders
// together), exists (a sidecar), not_found, no_space, io (a file changed meanwhile).
LQ_API ProtectReport protect(const std::vector<std::string>& paths, const Communicator& communicator = {},
                             const ProtectOptions& options = {});

}  // namespace lq
