// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sidecar with parity (docs/formats/parity.md) written next to files that are as they should be, by all ranks and
// threads: each makes windows of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>

#include "base/inner.hpp"
#include "protection/layout.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// Bytes of parity for those of files: "3%", "0.03". invalid_argument.
double parity_ratio(const std::string& asked);

// The sums that the fields of a file have in it, as a sidecar keeps them; that of the format is among them.
LQ_INNER std::vector<protection::OwnSum> own_sums(const Catalog& catalog);
std::uint64_t key_of_format() noexcept;

struct ParityRequest {
  std::string sidecar = {};
  std::vector<std::string> paths = {};  // in its folder or below
  bool is_set = false;             // so that files that are lost come back
  double ratio = 0;
  int lost_files = -1;  // -1: 2
  bool overwrite = false;
  Sync sync = Sync::full;
  int threads = 0;
  std::function<void(std::uint64_t)> tell = {};  // at the root: that many bytes of the files are done
  // At the root: as the files were when they were examined, and the sums of each.
  std::vector<storage::Identity> before = {};
  std::vector<std::vector<protection::OwnSum>> sums = {};
};
// Collective. What it wrote; files are in the order of their blocks. unsupported: files that cannot have one sidecar;
// io: one of them was changed since; checksum_mismatch: it reads back otherwise; exists, no_space.
LQ_INNER protection::Head write_parity(const Communicator& communicator, const ParityRequest& request);
// The files of a head, by paths.
LQ_INNER std::vector<std::string> paths_of(const protection::Head& head, const std::string& sidecar);

// With WriteOptions::protect.

// Local. Before anything is written: whether a new file can get a sidecar. invalid_argument, exists.
void require_protectable(storage::Transport& transport, const std::string& path, const WriteOptions& options);
// Collective. Of files that have just got their names.
void protect_written(const Communicator& communicator, const std::vector<std::string>& paths,
                     const WriteOptions& options);

}  // namespace lq::io
