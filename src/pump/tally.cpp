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
  if (numbers && other.numbers) numbers->found.add(other.numbers->found);
  bytes += other.bytes;
  device.add(other.device);
  pack_seconds = std::max(pack_seconds, other.pack_seconds);
  exchange_seconds = std::max(exchange_seconds, other.exchange_seconds);
  storage_seconds = std::max(storage_seconds, other.storage_seconds);
}

namespace {

constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();

// Counts of all ranks; of the places of each kind the first one.
void reduce(comm::Comm& comm, OddNumbers& found) {
  const std::array kinds{&found.not_finite, &found.huge, &found.off, &found.zero_links};
  std::array<std::uint64_t, 1 + 4 + 2 * max_dimensions> counts{found.seen};
  std::array<std::uint64_t, 4> firsts{};
  const auto each_count = [&](const auto& visit) {
    std::size_t k = 0;
    visit(found.seen, counts[k++]);
    for (OddNumbers::Sites* const kind : kinds) visit(kind->count, counts[k++]);
    for (auto& border : found.zero_at_border) {
      for (std::uint64_t& of_direction : border) visit(of_direction, counts[k++]);
    }
  };
  each_count([](std::uint64_t mine, std::uint64_t& sent) { sent = mine; });
  for (std::size_t k = 0; k < kinds.size(); ++k) firsts[k] = kinds[k]->count > 0 ? kinds[k]->first_offset : highest;
  comm.all_reduce(counts, comm::Reduce::sum);
  comm.all_reduce(firsts, comm::Reduce::min);
  each_count([](std::uint64_t& mine, std::uint64_t sent) { mine = sent; });
  for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k]->first_offset = firsts[k];
}

}  // namespace

void Tally::reduce(comm::Comm& comm) {
  sums.reduce(comm);
  if (numbers) pump::reduce(comm, numbers->found);
  std::array<std::uint64_t, 5> added{zeros.sites, bytes, device.computing(), device.copying(), ranks_at_file};
  comm.all_reduce(added, comm::Reduce::sum);
  // Seconds are not negative, and such numbers are in the order of their bits.
  std::array<std::uint64_t, 7> largest{
      zeros.last_offset,
      // the minimum of the first offsets, as a maximum of complements; so of the ranks whose host computes for a GPU
      zeros.sites > 0 ? highest - zeros.first_offset : 0, std::bit_cast<std::uint64_t>(pack_seconds),
      std::bit_cast<std::uint64_t>(exchange_seconds), std::bit_cast<std::uint64_t>(storage_seconds),
      std::bit_cast<std::uint64_t>(open_seconds),
      device.copying() > 0 ? highest - static_cast<std::uint64_t>(comm.rank()) : 0};
  comm.all_reduce(largest, comm::Reduce::max);
  zeros = {added[0], added[0] > 0 ? highest - largest[1] : 0, largest[0]};
  bytes = added[1];
  ranks_at_file = added[4];
  pack_seconds = std::bit_cast<double>(largest[2]);
  exchange_seconds = std::bit_cast<double>(largest[3]);
  storage_seconds = std::bit_cast<double>(largest[4]);
  open_seconds = std::bit_cast<double>(largest[5]);
  device.set_ranks(added[2], added[3]);
  if (device.copying() > 0) comm.broadcast(device.reason(), static_cast<int>(highest - largest[6]));
}

}  // namespace lq::pump
