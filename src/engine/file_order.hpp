// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites in file form, in the order of the file: their sums, sites read for their checksum only, or forwarded to a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "engine/direct.hpp"
#include "engine/site_batches.hpp"
#include "engine/site_packer.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/tiles.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

class FileOrderSums {
 public:
  // Both outlive the object.
  FileOrderSums(const Payload& payload, TransferStats& stats);

  // Also counts the bytes.
  void add(std::uint64_t first_site, base::Bytes sites);
  // For a run whose site ranks are known.
  void add(const Run& run, base::Bytes sites) const { packer_.sum(sites, run, stats_.sums); }

 private:
  Run run_at(std::uint64_t site, std::uint64_t most) const;

  const Payload& payload_;
  SiteOrder order_;
  bool is_natural_;
  SitePacker packer_;
  TransferStats& stats_;
};

// Sites read only for their checksum.

// Part `number` of `all` disjoint parts of a payload.
struct PartIndex {
  std::uint64_t all = 1, number = 0;
};

// Local. One part of the sites that the file stores.
void checksum_sites(base::ByteSource& file, const Payload& payload, const PartIndex& part, const BlockOptions& options,
                    TransferStats& stats, const lq::Progress& progress = {});

// A source that also copies the sites that are read to another file. If both files store them in the same form, they
// need not be repacked.
class PassThrough final : public base::ByteSource {
 public:
  // True if the bytes of all sites are identical and contiguous in both files.
  static bool is_possible(const Payload& from, const Payload& to);

  // Sites are forwarded when they are read, each once and in order, whatever is read again or in addition. The reader
  // counts the time. All arguments except `sites` outlive the object.
  PassThrough(base::ByteSource& from, const Payload& source, storage::File& to, const Payload& target,
              const lattice::Share& sites, TransferStats& written);

  const std::string& path() const noexcept override { return from_.path(); }
  std::uint64_t size() const override { return from_.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::uint64_t next_data(std::uint64_t offset) const override { return from_.next_data(offset); }
  void fetch_ahead(std::uint64_t offset, std::uint64_t bytes) noexcept override { from_.fetch_ahead(offset, bytes); }

  // internal: some of them were not read.
  void require_all() const;

 private:
  void pass_through(std::uint64_t first_site, base::Bytes sites);

  base::ByteSource& from_;
  storage::File& to_;
  std::uint64_t begin_, target_begin_, site_bytes_;  // first bytes of the sites in both files
  lattice::Share left_;
  FileOrderSums sums_;
};

}  // namespace lq::engine
