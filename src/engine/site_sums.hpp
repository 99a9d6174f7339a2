// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sums of a payload, computed while its sites pass (<limequat/sums.hpp>): the requested ones, over the whole and
// over parts. Sums based on the CRC-32 of sites come from the packing loops; the others are computed for each run of
// sites while it is in cache. Sums of ranks can be combined.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "engine/site_batches.hpp"
#include "kernels/digest.hpp"

namespace lq::engine {

class SiteSums {
 public:
  // If none is requested, none is computed. All memory is allocated here.
  explicit SiteSums(const Payload& payload, const std::vector<SumName>& wanted);

  // True if the packing loops must compute the CRC-32 of each site.
  bool needs_crc() const noexcept { return !checksums_.empty(); }
  // Calls work(checksum, weighted sum or nullptr, skip, sites) for the parts of sites file_site .. file_site + sites -
  // 1 that lie in one slice each; `skip` sites of them come before the part. Only with needs_crc().
  template <class Work>
  void for_each_slice(std::uint64_t file_site, std::uint64_t sites, Work&& work) {
    for (std::uint64_t skip = 0; skip < sites;) {
      const std::uint64_t slice = (file_site + skip) / slice_sites_;
      const std::uint64_t part = std::min(sites - skip, (slice + 1) * slice_sites_ - file_site - skip);
      const auto i = static_cast<std::size_t>(slice);
      work(checksums_[i], weighted_.empty() ? nullptr : &weighted_[i], skip, part);
      skip += part;
    }
  }
  // Adds sites in file form to the sums that are not based on the CRC-32 of sites.
  void add_others(base::Bytes sites, const Run& run) noexcept {
    for (FileSum& sum : others_) add(sum, sites, run);
  }

  // Adds the sums of another thread for the same payload; `others` cannot be used afterwards.
  void add(SiteSums& others) noexcept;
  // Local. The values to be combined over the ranks, as this many terms; the combined ones then replace them.
  std::size_t terms() const noexcept { return terms_; }
  void tell(std::span<comm::Term> terms) noexcept;
  void take(std::span<const comm::Term> terms) noexcept;

  const std::vector<SumName>& wanted() const noexcept { return wanted_; }
  // The requested sums; without sums of slices if there are too many to keep.
  Sums values() const;
  // The SciDAC checksum of all sites.
  Checksum total() const noexcept;
  std::uint64_t slice_sites() const noexcept { return slice_sites_; }

 private:
  // A sum of another kind, for each part of this many sites, and for each array among which a site is divided.
  struct FileSum {
    SumName name;
    std::uint64_t part_sites = 0;
    std::uint64_t arrays = 1;
    std::vector<std::uint64_t> values = {};
    // The CRC-32 of contiguous bytes is continued before it is added.
    std::uint32_t crc = 0;
    std::uint64_t crc_begin = 0, crc_end = 0;  // numbers of sites
  };

  void want(const SumName& name, const Payload& payload);
  void add(FileSum& sum, base::Bytes sites, const Run& run) noexcept;
  void add_part(FileSum& sum, base::Bytes sites, const Run& run) noexcept;
  void add_sites(const FileSum& sum, std::uint64_t* value, base::Bytes sites, const Run& run) const noexcept;
  void add_hash(std::uint64_t* value, base::Bytes site, std::uint64_t site_rank, bool is_padded) const noexcept;
  void settle_crc(FileSum& sum) const noexcept;
  std::uint64_t part_end(const FileSum& sum, std::uint64_t site) const noexcept;  // end of the part that contains it
  template <class Visit>
  void each_word(const Visit& visit) noexcept;
  std::vector<std::uint32_t> words(const SumName& name) const;
  void add_words(const FileSum& sum, std::vector<std::uint32_t>& words) const;
  kernels::WeightedSum weighted_total() const noexcept;

  std::vector<SumName> wanted_;
  Extents extents_;
  std::uint64_t sites_, site_bytes_, number_bytes_;
  bool big_endian_;
  std::uint64_t slice_sites_;
  bool keeps_slices_;
  std::vector<Checksum> checksums_;             // one per slice, or a single one
  std::vector<kernels::WeightedSum> weighted_;  // the same
  std::vector<FileSum> others_;
  std::size_t terms_ = 0;
};

}  // namespace lq::engine
