// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sums of sites in file form that come in the order of the file, whole stretches of it at a time.
#pragma once

#include <cstdint>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "engine/site_packer.hpp"
#include "engine/stretches.hpp"
#include "engine/transfer_stats.hpp"

namespace lq::engine {

class FileOrderSums {
 public:
  // Both outlive the object.
  FileOrderSums(const Payload& payload, TransferStats& stats);

  // Counts the bytes, too.
  void add(std::uint64_t first_site, base::Bytes sites);
  // Of a run whose ranks are known.
  void add(const Run& run, base::Bytes sites) const { packer_.sum(sites, run, stats_.sums); }

 private:
  Run run_at(std::uint64_t site, std::uint64_t most) const;

  const Payload& payload_;
  SiteOrder order_;
  bool is_natural_;
  SitePacker packer_;
  TransferStats& stats_;
};

}  // namespace lq::engine
