// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See slice_sums.hpp.
#include "pump/slice_sums.hpp"

#include <algorithm>

#include "kernels/digest.hpp"
#include "lattice/site_order.hpp"

namespace lq::pump {

namespace {

constexpr std::int64_t max_slices = 1 << 16;  // half a MiB on every rank

}  // namespace

SliceSums::SliceSums(const Payload& payload) {
  const Extents& extents = payload.stored.extents;
  const SiteOrder order = lattice::resolve_order(payload.order, extents.size());
  const std::int64_t slices = extents[order.back()];
  const std::uint64_t sites = payload.stored.volume();
  per_slice_ = slices >= 1 && slices <= max_slices;
  slice_sites_ = per_slice_ ? sites / static_cast<std::uint64_t>(slices) : sites;
  sums_.resize(per_slice_ ? static_cast<std::size_t>(slices) : 1);
}

void SliceSums::reduce(comm::Comm& comm) {
  std::vector<std::uint64_t> words(sums_.size());
  std::ranges::transform(sums_, words.begin(),
                         [](const Checksum& sum) { return (std::uint64_t{sum.suma} << 32) | sum.sumb; });
  comm.all_reduce(words, comm::Reduce::bit_xor);
  std::ranges::transform(words, sums_.begin(), [](std::uint64_t word) {
    return Checksum{static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
  });
}

Checksum SliceSums::total() const noexcept {
  Checksum total;
  for (const Checksum& sum : sums_) kernels::combine(total, sum);
  return total;
}

}  // namespace lq::pump
