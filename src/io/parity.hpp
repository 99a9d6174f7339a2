// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes a sidecar with parity (docs/formats/parity.md) next to intact files, by all ranks and
// threads: each processes its own windows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>

#include "base/inner.hpp"
#include "protection/layout.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// Bytes of parity per byte of the files: "3%", "0.03". invalid_argument.
double parity_ratio(const std::string& asked);

// The sums that a file has for its fields, as a sidecar stores them, including that of the format.
LQ_INNER std::vector<protection::OwnSum> own_sums(const Catalog& catalog);
std::uint64_t key_of_format() noexcept;

struct ParityRequest {
  std::string sidecar = {};
  std::vector<std::string> paths = {};  // in its folder or below
  bool is_set = false;                  // so that lost files can be restored
  double ratio = 0;
  int lost_files = -1;  // -1: 2
  bool overwrite = false;
  Sync sync = Sync::full;
  int threads = 0;
  // A field of the only file, with a checksum that was just written: what it covers is read once.
  std::optional<FieldEntry> proof = {};
  std::function<void(std::uint64_t)> tell = {};  // at the root: receives the number of bytes processed
  // At the root: the state of the files when they were examined, and the sums of each.
  std::vector<storage::Identity> before = {};
  std::vector<std::vector<protection::OwnSum>> sums = {};
};
// Collective. Returns what was written; files are in the order of their blocks. unsupported: files that cannot share a
// sidecar; io: one of them was changed since; checksum_mismatch: read-back differs, or the field of `proof` (then the
// error names its record); exists, no_space.
LQ_INNER protection::Head write_parity(const Communicator& communicator, const ParityRequest& request);
// The files of a head, as paths.
LQ_INNER std::vector<std::string> paths_of(const protection::Head& head, const std::string& sidecar);

// For WriteOptions::protect.

// Local. Before anything is written: checks that a new file can get a sidecar. invalid_argument, exists.
void require_protectable(storage::Transport& transport, const std::string& path, const WriteOptions& options);
// Collective. For files that were just published.
void protect_written(const Communicator& communicator, const std::vector<std::string>& paths,
                     const WriteOptions& options);

}  // namespace lq::io
