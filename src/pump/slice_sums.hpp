// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The checksum of a payload while its sites pass: in all, and per slice of the slowest dimension, which tells
// later where damage is. Partial sums of ranks combine by XOR.
#pragma once

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

  // Sites in file form, one behind the other, from number `file_site` on; site k has rank first_rank + k * rank_stride.
  void add(base::Bytes bytes, std::uint64_t file_site, std::uint64_t first_rank, std::uint64_t rank_stride);
  // Collective. Combines the sums of all ranks, on all ranks.
  void reduce(comm::Comm& comm);

  Checksum total() const noexcept;
  // Empty when there are too many slices to keep.
  const std::vector<Checksum>& slices() const noexcept { return per_slice_ ? sums_ : none_; }
  format::Digest digest() const { return {total(), slices()}; }
  std::uint64_t slice_sites() const noexcept { return slice_sites_; }

 private:
  std::uint64_t site_bytes_;
  std::uint64_t slice_sites_;
  bool per_slice_;
  std::vector<Checksum> sums_;  // one per slice, or one in all
  std::vector<Checksum> none_;
};

}  // namespace lq::pump
