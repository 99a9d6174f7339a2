// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/transfer_stats.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "comm/agree.hpp"

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

// Numbers of which each has its place among the terms: told, and then taken, in one order.
class Teller {
 public:
  explicit Teller(std::span<comm::Term> terms) : terms_(terms) {}
  void operator()(std::uint64_t& number, comm::Reduce operation) { terms_[next_++] = {number, operation}; }
  void operator()(double& seconds) { terms_[next_++] = comm::seconds_term(seconds); }

 private:
  std::span<comm::Term> terms_;
  std::size_t next_ = 0;
};
class Taker {
 public:
  explicit Taker(std::span<const comm::Term> terms) : terms_(terms) {}
  void operator()(std::uint64_t& number, comm::Reduce) { number = terms_[next_++].value; }
  void operator()(double& seconds) { seconds = comm::seconds_of(terms_[next_++]); }

 private:
  std::span<const comm::Term> terms_;
  std::size_t next_ = 0;
};

// Counts are added up; of the places of each kind the first one counts.
template <class Visit>
void each_number(OddNumbers& found, Visit& visit) {
  visit(found.seen, comm::Reduce::sum);
  for (OddNumbers::Sites* const kind : {&found.not_finite, &found.huge, &found.off, &found.zero_links}) {
    std::uint64_t first = kind->count > 0 ? kind->first_offset : highest;
    visit(kind->count, comm::Reduce::sum);
    visit(first, comm::Reduce::min);
    kind->first_offset = first;
  }
  for (auto& border : found.zero_at_border) {
    for (std::uint64_t& of_direction : border) visit(of_direction, comm::Reduce::sum);
  }
}
constexpr std::size_t odd_terms = 1 + 2 * 4 + 2 * max_dimensions;

// But for sums and odd numbers. `teller`: a rank whose host computes for a GPU, the first of which says why.
template <class Visit>
void each_number(TransferStats& stats, std::uint64_t& computing, std::uint64_t& copying, std::uint64_t& teller,
                 Visit& visit) {
  std::uint64_t first = stats.zeros.sites > 0 ? stats.zeros.first_offset : highest;
  visit(stats.zeros.sites, comm::Reduce::sum);
  visit(first, comm::Reduce::min);
  visit(stats.zeros.last_offset, comm::Reduce::max);
  stats.zeros.first_offset = stats.zeros.sites > 0 ? first : 0;
  visit(stats.bytes, comm::Reduce::sum);
  visit(stats.ranks_at_file, comm::Reduce::sum);
  visit(computing, comm::Reduce::sum);
  visit(copying, comm::Reduce::sum);
  visit(teller, comm::Reduce::min);
  visit(stats.pack_seconds);
  visit(stats.exchange_seconds);
  visit(stats.storage_seconds);
  visit(stats.open_seconds);
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
  const auto pass = [&](auto visit_odd, auto visit_others) {
    if (numbers) each_number(numbers->found, visit_odd);
    each_number(*this, computing, copying, teller, visit_others);
  };
  sums.tell(theirs);
  pass(Teller(odd), Teller(others));
  comm::agree_on_success(comm, failure, all);
  sums.take(theirs);
  pass(Taker(odd), Taker(others));
  device.set_ranks(computing, copying);
  if (copying > 0) comm.broadcast(device.reason(), static_cast<int>(teller));
}

}  // namespace lq::engine
