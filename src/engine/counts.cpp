// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/counts.hpp"

#include <algorithm>
#include <cmath>

#include "lattice/rows.hpp"

namespace lq::engine {
namespace {

std::uint64_t scaled(std::uint64_t counted, double factor) {
  return static_cast<std::uint64_t>(std::llround(real(counted) * factor));
}

// What was counted on the way through `done` of `all` units.
void continue_to(Counts& counts, std::uint64_t done, std::uint64_t all, std::uint64_t Counts::*first,
                 std::uint64_t Counts::*second) {
  if (done == 0 || done >= all) return;
  const double factor = real(all) / real(done);
  counts.*first = scaled(counts.*first, factor);
  counts.*second = scaled(counts.*second, factor);
  counts.is_exact = false;
}

Counts count_direct(const Transfer& transfer, std::uint64_t block_bytes, int rank, std::uint64_t most_rows) {
  Counts counts;
  const Box mine = transfer.box_of(rank);
  if (mine.empty()) return counts;
  lattice::Rows rows = transfer.rows_of(mine);
  const std::uint64_t site_bytes = transfer.site_bytes();
  const std::uint64_t block = std::max<std::uint64_t>(block_bytes / site_bytes, 1);
  std::uint64_t walked = 0, sites = 0;
  for (lattice::Row row; walked < most_rows && rows.next(row); ++walked) {
    counts.calls += (row.sites + block - 1) / block;
    sites += row.sites;
  }
  counts.stored = sites * site_bytes;
  continue_to(counts, sites, mine.volume(), &Counts::calls, &Counts::stored);
  return counts;
}

void count_owned(const Shares& shares, int rank, std::uint64_t most_chunks, Counts& counts) {
  std::vector<int> holders;
  std::uint64_t first = 0, reached = 0;
  for (auto chunk = shares.next_owned(rank, 0); chunk; chunk = shares.next_owned(rank, chunk->number + 1)) {
    if (counts.calls == 0) first = chunk->number;
    reached = chunk->number;
    if (counts.calls == most_chunks) break;
    ++counts.calls;
    counts.stored += chunk->end_byte - chunk->first_byte;
    shares.holders(*chunk, holders);
    for (const int holder : holders) counts.arrivals += holder == rank ? 0 : 1;
  }
  if (counts.calls < most_chunks) return;
  // Owners take turns: from its first chunk to the next one these were all.
  const std::uint64_t all = shares.end_chunk() - shares.first_chunk();
  const std::uint64_t arrivals = counts.arrivals;
  continue_to(counts, reached - first, all, &Counts::calls, &Counts::stored);
  if (reached - first < all) counts.arrivals = scaled(arrivals, real(all) / real(reached - first));
}

void count_held(const Shares& shares, int rank, std::uint64_t most_chunks, Counts& counts) {
  const Transfer& transfer = shares.transfer();
  const Box mine = transfer.box_of(rank);
  if (mine.empty()) return;
  lattice::Rows rows = transfer.rows_of(mine);
  std::uint64_t walked = 0, sites = 0;
  for (auto chunk = shares.next_held(mine, 0); chunk; chunk = shares.next_held(mine, chunk->number + 1)) {
    if (walked == most_chunks) break;
    ++walked;
    std::uint64_t held = 0;
    rows.seek(chunk->first_site);
    for (lattice::Row row; rows.next(row) && row.file_site < chunk->end_site;) {
      held += std::min(row.file_site + row.sites, chunk->end_site) - std::max(row.file_site, chunk->first_site);
    }
    sites += held;
    if (chunk->owner == rank) continue;
    ++counts.messages;
    counts.bytes_exchanged += held * transfer.site_bytes();
  }
  if (walked == most_chunks) {
    continue_to(counts, sites, mine.volume(), &Counts::messages, &Counts::bytes_exchanged);
  }
}

// Places along one dimension that differ: both ends and the middle.
std::vector<std::int64_t> telling_places(std::int64_t places) {
  std::vector<std::int64_t> all{0, places / 2, places - 1};
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Counts count_work(const Transfer& transfer, const Choice& choice, int rank, std::uint64_t most_chunks) {
  if (choice.strategy == Strategy::direct) return count_direct(transfer, choice.block_bytes, rank, most_chunks);
  Counts counts;
  const Shares shares(transfer, choice.shares);
  count_owned(shares, rank, most_chunks, counts);
  count_held(shares, rank, most_chunks, counts);
  return counts;
}

Counts count_busiest(const Transfer& transfer, const Geometry& geometry, const Choice& choice,
                     std::uint64_t most_chunks) {
  // Only block 0 of a dimension is sure to be as large as any; owners sit anywhere in a group.
  std::vector<Coord> places{Coord::filled(geometry.dimensions(), 0)};
  const lattice::Decomposition& dealt = *transfer.dealt;
  for (const int d : geometry.order()) {
    const std::int64_t held = std::min(dealt.processes()[d], dealt.extents()[d]);
    std::vector<Coord> more;
    for (const Coord& place : places) {
      for (const std::int64_t x : telling_places(held)) {
        more.push_back(place);
        more.back()[d] = x;
      }
    }
    places = std::move(more);
  }
  Counts most;
  for (const Coord& place : places) {
    const Counts one = count_work(transfer, choice, dealt.rank_at(place), most_chunks);
    most.stored = std::max(most.stored, one.stored);
    most.calls = std::max(most.calls, one.calls);
    most.messages = std::max(most.messages, one.messages);
    most.bytes_exchanged = std::max(most.bytes_exchanged, one.bytes_exchanged);
    most.arrivals = std::max(most.arrivals, one.arrivals);
    most.is_exact = most.is_exact && one.is_exact;
  }
  return most;
}

}  // namespace lq::engine
