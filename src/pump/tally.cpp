// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/tally.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace lq::pump {

void add(ZeroRegion& zeros, const ZeroRegion& more) noexcept {
  if (more.sites == 0) return;
  zeros.first_offset = zeros.sites == 0 ? more.first_offset : std::min(zeros.first_offset, more.first_offset);
  zeros.last_offset = std::max(zeros.last_offset, more.last_offset);
  zeros.sites += more.sites;
}

void Tally::add(Tally& other) noexcept {
  sums.add(other.sums);
  pump::add(zeros, other.zeros);
  bytes += other.bytes;
  pack_seconds = std::max(pack_seconds, other.pack_seconds);
  exchange_seconds = std::max(exchange_seconds, other.exchange_seconds);
  storage_seconds = std::max(storage_seconds, other.storage_seconds);
}

void Tally::reduce(comm::Comm& comm) {
  sums.reduce(comm);
  std::array<std::uint64_t, 2> added{zeros.sites, bytes};
  comm.all_reduce(added, comm::Reduce::sum);
  // Seconds are not negative, and such numbers are in the order of their bits.
  std::array<std::uint64_t, 6> largest{
      zeros.last_offset,
      // the minimum of the first offsets, as a maximum of complements
      zeros.sites > 0 ? std::numeric_limits<std::uint64_t>::max() - zeros.first_offset : 0,
      std::bit_cast<std::uint64_t>(pack_seconds), std::bit_cast<std::uint64_t>(exchange_seconds),
      std::bit_cast<std::uint64_t>(storage_seconds), std::bit_cast<std::uint64_t>(open_seconds)};
  comm.all_reduce(largest, comm::Reduce::max);
  zeros = {added[0], added[0] > 0 ? std::numeric_limits<std::uint64_t>::max() - largest[1] : 0, largest[0]};
  bytes = added[1];
  pack_seconds = std::bit_cast<double>(largest[2]);
  exchange_seconds = std::bit_cast<double>(largest[3]);
  storage_seconds = std::bit_cast<double>(largest[4]);
  open_seconds = std::bit_cast<double>(largest[5]);
}

}  // namespace lq::pump
