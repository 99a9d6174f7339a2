// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The checksum of a payload while its sites pass: in all, and per slice of the slowest dimension, which tells
// later where damage is. Partial sums of ranks combine by XOR.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/report.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "format/format.hpp"

namespace lq::pump {

class SliceSums {
 public:
  explicit SliceSums(const Payload& payload);

  // Calls work(sum, skip, sites) for the parts of sites file_site .. file_site + sites - 1 that lie in one slice each;
  // `skip` sites of them come before the part.
  template <class Work>
  void for_each_slice(std::uint64_t file_site, std::uint64_t sites, Work&& work) {
    for (std::uint64_t skip = 0; skip < sites;) {
      const std::uint64_t slice = (file_site + skip) / slice_sites_;
      const std::uint64_t part = std::min(sites - skip, (slice + 1) * slice_sites_ - file_site - skip);
      work(sums_[static_cast<std::size_t>(slice)], skip, part);
      skip += part;
    }
  }
  // Collective. Combines the sums of all ranks, on all ranks.
  void reduce(comm::Comm& comm);

  Checksum total() const noexcept;
  // Empty when there are too many slices to keep.
  const std::vector<Checksum>& slices() const noexcept { return per_slice_ ? sums_ : none_; }
  format::Digest digest() const { return {total(), slices()}; }
  std::uint64_t slice_sites() const noexcept { return slice_sites_; }

 private:
  std::uint64_t slice_sites_;
  bool per_slice_;
  std::vector<Checksum> sums_;  // one per slice, or one in all
  std::vector<Checksum> none_;
};

}  // namespace lq::pump
