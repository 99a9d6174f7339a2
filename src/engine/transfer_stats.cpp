// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/transfer_stats.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "comm/agree.hpp"
#include "comm/terms.hpp"

namespace lq::engine {

void add(ZeroRegion& zeros, const ZeroRegion& more) noexcept {
  if (more.sites == 0) return;
  zeros.first_offset = zeros.sites == 0 ? more.first_offset : std::min(zeros.first_offset, more.first_offset);
  zeros.last_offset = std::max(zeros.last_offset, more.last_offset);
  zeros.sites += more.sites;
}

void TransferStats::add(TransferStats& other) noexcept {
  sums.add(other.sums);
  engine::add(zeros, other.zeros);
  if (numbers && other.numbers) numbers->found.add(other.numbers->found);
  bytes += other.bytes;
  device.add(other.device);
  pack_seconds = std::max(pack_seconds, other.pack_seconds);
  exchange_seconds = std::max(exchange_seconds, other.exchange_seconds);
  storage_seconds = std::max(storage_seconds, other.storage_seconds);
}

namespace {

constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();

// Counts are added up; of the places of each kind the first one counts.
template <class Terms>
void each_term(OddNumbers& found, Terms&& terms) {
  terms.sum(found.seen);
  for (OddNumbers::Sites* const kind : {&found.not_finite, &found.huge, &found.off, &found.zero_links}) {
    std::uint64_t first = kind->count > 0 ? kind->first_offset : highest;
    terms.sum(kind->count);
    terms.combine(first, comm::Reduce::min);
    kind->first_offset = first;
  }
  for (auto& border : found.zero_at_border) {
    for (std::uint64_t& of_direction : border) terms.sum(of_direction);
  }
}
constexpr std::size_t odd_terms = 1 + 2 * 4 + 2 * max_dimensions;

// But for sums and odd numbers. `teller`: a rank whose host computes for a GPU, the first of which says why.
template <class Terms>
void each_term(TransferStats& stats, std::uint64_t& computing, std::uint64_t& copying, std::uint64_t& teller,
               Terms&& terms) {
  std::uint64_t first = stats.zeros.sites > 0 ? stats.zeros.first_offset : highest;
  terms.sum(stats.zeros.sites);
  terms.combine(first, comm::Reduce::min);
  terms.combine(stats.zeros.last_offset, comm::Reduce::max);
  stats.zeros.first_offset = stats.zeros.sites > 0 ? first : 0;
  terms.sum(stats.bytes);
  terms.sum(stats.ranks_at_file);
  terms.sum(computing);
  terms.sum(copying);
  terms.combine(teller, comm::Reduce::min);
  terms.max(stats.pack_seconds);
  terms.max(stats.exchange_seconds);
  terms.max(stats.storage_seconds);
  terms.max(stats.open_seconds);
}
constexpr std::size_t other_terms = 12;

}  // namespace

void TransferStats::make_terms() { terms_.resize(1 + sums.terms() + (numbers ? odd_terms : 0) + other_terms); }

void TransferStats::reduce(comm::Comm& comm, const std::exception_ptr& failure) {
  const std::size_t of_sums = sums.terms(), of_numbers = numbers ? odd_terms : 0;
  const std::span<comm::Term> all(terms_), theirs = all.subspan(1, of_sums), odd = all.subspan(1 + of_sums, of_numbers),
                                           others = all.subspan(1 + of_sums + of_numbers);
  std::uint64_t computing = device.computing(), copying = device.copying();
  std::uint64_t teller = copying > 0 ? static_cast<std::uint64_t>(comm.rank()) : highest;
  const auto pass = [&](auto terms_of_odd, auto terms_of_others) {
    if (numbers) each_term(numbers->found, terms_of_odd);
    each_term(*this, computing, copying, teller, terms_of_others);
  };
  sums.tell(theirs);
  pass(comm::ToldTerms(odd), comm::ToldTerms(others));
  comm::agree_on_success(comm, failure, all);
  sums.take(theirs);
  pass(comm::TakenTerms(odd), comm::TakenTerms(others));
  device.set_ranks(computing, copying);
  if (copying > 0) comm.broadcast(device.reason(), static_cast<int>(teller));
}

}  // namespace lq::engine
