// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cost.hpp"

#include <algorithm>
#include <cmath>

#include "lattice/rows.hpp"

namespace lq::engine {
namespace {

std::uint64_t scaled(std::uint64_t counted, double factor) {
  return static_cast<std::uint64_t>(std::llround(real(counted) * factor));
}

// Adds the counts of `done` of `all` units, extrapolated.
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
  // Owners alternate: the work on the chunks up to `reached` is extrapolated to all chunks.
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

// Representative places along one dimension: both ends and the middle.
std::vector<std::int64_t> sample_places(std::int64_t places) {
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
  // Only block 0 of a dimension is certain to be a largest one; owners may be anywhere in a group.
  std::vector<Coord> places{Coord::filled(geometry.dimensions(), 0)};
  const lattice::Decomposition& dealt = *transfer.dealt;
  for (const int d : geometry.order()) {
    const std::int64_t held = std::min(dealt.processes()[d], dealt.extents()[d]);
    std::vector<Coord> more;
    for (const Coord& place : places) {
      for (const std::int64_t x : sample_places(held)) {
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

namespace {

constexpr double flights = 2;  // messages in flight at a time

// Contiguous in the file and on one node, if all ranks that meet there are on that node.
std::uint64_t piece_of_node(const Geometry& geometry, std::uint64_t ranks_per_node) {
  int shared = 0;
  while (shared < geometry.dimensions() && geometry.groups_stay_on_nodes(shared + 1, ranks_per_node)) ++shared;
  return geometry.piece_bytes(shared);
}

void add_direct(Work& work, const Transfer& transfer, const Geometry& geometry, const Choice& choice,
                const TransferContext& context) {
  const double row = real(geometry.row_bytes());
  const double rows = work.packed / row;
  work.stored = work.packed;
  work.calls = rows * std::ceil(row / real(choice.block_bytes));
  work.writers = real(geometry.ranks());
  // A piece of the file begins in the block in which the piece of another rank (between nodes: of another node) ends.
  const double piece = context.is_one_node ? row : real(piece_of_node(geometry, context.ranks_per_node));
  const bool is_aligned =
      geometry.row_bytes() % context.block_bytes == 0 && transfer.payload.offset % context.block_bytes == 0;
  if (geometry.ranks() > 1 && !is_aligned) work.shared_blocks = work.packed / piece;
}

void add_exchange(Work& work, const Transfer& transfer, const Geometry& geometry, const Choice& choice,
                  const TransferContext& context) {
  const ShareOptions& shares = choice.shares;
  const int shared = shares.shared_dimensions;
  const double members = real(geometry.members(shared));
  const double owners = shares.owners == 0 ? members : std::min(real(shares.owners), members);
  const double group = real(geometry.group_bytes(shared));
  const double domain = real(shares.domain_bytes);
  const double turns = std::ceil(std::ceil(group / domain) / owners);
  work.stored = std::min(turns * domain, group);
  work.calls = std::max(work.stored / real(shares.chunk_bytes), 1.0);
  work.writers = std::min(owners * real(geometry.groups(shared)), std::ceil(real(geometry.bytes()) / domain));
  if (context.block_bytes > 1 && shares.domain_bytes % context.block_bytes != 0) {
    work.shared_blocks = work.stored / domain;
  }
  // The larger of what an owner receives and what a holder sends. Domains extend beyond the piece of the file in which
  // they begin, so a part belongs to the next group.
  const double piece = real(geometry.piece_bytes(shared));
  const double beyond = geometry.groups(shared) == 1 ? 0
                        : piece < domain             ? 1 - piece / (2 * domain)
                                                     : domain / (2 * piece);
  const double others = (1 - beyond) * (1 - 1 / members) + beyond;
  const double moved = std::max(work.stored, work.packed) * others;
  const double per_node = real(context.ranks_per_node);
  const double near = real(geometry.members_on_node(shared, 0, context.ranks_per_node));
  const double near_beyond = context.is_one_node ? 1 : std::max(1 - members / per_node, 0.0);
  const double near_share = others > 0 ? ((1 - beyond) * (near - 1) / members + beyond * near_beyond) / others : 0;
  work.near_bytes = moved * near_share;
  work.far_bytes = moved - work.near_bytes;
  // Each chunk involves all ranks that hold sites of it.
  const double held = expected_chunks(transfer, geometry, shares.chunk_bytes);
  const double chunks = std::max(real(geometry.bytes()) / real(shares.chunk_bytes), 1.0);
  const double met = work.calls * held * real(geometry.ranks()) / chunks;
  const double messages = std::max(held, met) * others;
  work.near_messages = messages * near_share;
  work.far_messages = messages - work.near_messages;
}

class Predicting {
 public:
  Predicting(const Work& work, const Transfer& transfer, const Geometry& geometry, Strategy strategy,
             const TransferContext& context, const Machine& machine)
      : work_(work), writing_(transfer.writing), strategy_(strategy), context_(context), machine_(machine) {
    all_bytes_ = real(geometry.bytes());
    const double ranks = real(geometry.ranks());
    ranks_on_node_ = std::min(real(context.ranks_per_node), ranks);
    nodes_ = context.is_one_node ? 1 : std::ceil(ranks / ranks_on_node_);
    writers_on_node_ = std::max(work.writers / nodes_, 1.0);
    const double cores = real(std::max<std::uint64_t>(machine.cores_per_node, 1));
    turns_ = std::max(ranks_on_node_ / cores, 1.0);
    writers_turns_ = std::max(std::min(writers_on_node_, ranks_on_node_) / cores, 1.0);
  }

  Prediction predict() const {
    Prediction seconds;
    seconds.pack = turns_ * work_.packed / machine_.pack_rate;
    seconds.exchange = exchange();
    const double all = whole_storage();
    if (nodes_ == 1) {
      // Writing into the page cache uses the cores that also pack: nothing overlaps.
      seconds.storage = std::max(moving(), all) - writers_turns_ * spared() + calling();
      seconds.total = seconds.pack + seconds.exchange + seconds.storage;
    } else {
      const double own = moving() - writers_turns_ * spared() + calling();
      seconds.storage = std::max(own, all);
      seconds.total = std::max({seconds.pack + seconds.exchange + own, all, link(), memory()});
    }
    return seconds;
  }

 private:
  bool moves_by_messages() const { return strategy_ == Strategy::messages; }

  // Time of a writer's bytes, at the rate of large pieces from memory.
  double moving() const {
    return writers_turns_ * work_.stored / (writing_ ? machine_.write_rate : machine_.read_rate);
  }

  // Data that go to the file are in cache, because they were just packed: reading them takes no time. Data from the
  // file still go to memory.
  double spared() const {
    if (!writing_) return 0;
    return std::min({work_.packed / machine_.pack_rate, work_.stored / (2 * machine_.copy_rate),
                     work_.stored / machine_.write_rate});
  }

  double calling() const {
    const double call = writing_ ? machine_.write_call : machine_.read_call;
    return writers_turns_ * work_.calls * call + (writing_ ? work_.shared_blocks * sharing() : 0);
  }

  // Cost of writing into a block that another client has just written: a lock, and moving the block once more.
  double sharing() const {
    const double lock = nodes_ == 1 ? machine_.write_call : 2 * machine_.latency;
    return lock + real(context_.block_bytes) / machine_.write_rate;
  }

  // Time of the file system for all bytes; a block with two writers on different nodes moves once more.
  double whole_storage() const {
    if (!writing_) return all_bytes_ / machine_.read_rate_total;
    const double twice = nodes_ == 1 ? 0 : work_.writers * work_.shared_blocks * real(context_.block_bytes);
    return (all_bytes_ + twice) / machine_.write_rate_total;
  }

  double exchange() const {
    double near = 0;
    if (moves_by_messages()) {
      // Copied by the sender, by the receiver, and into place.
      near = 2 * work_.near_bytes / machine_.shared_rate + work_.near_bytes / machine_.copy_rate;
    } else if (strategy_ == Strategy::pull && writing_ && machine_.pull_rate > 0) {
      near = work_.near_bytes / machine_.pull_rate;
    } else {
      near = work_.near_bytes / machine_.shared_rate;
    }
    if (strategy_ != Strategy::pull || !writing_) near += work_.near_messages * machine_.handover_time;
    const double far = work_.far_bytes / std::min(machine_.message_rate, machine_.link_rate / ranks_on_node_) +
                       work_.far_messages * machine_.latency / flights;
    return turns_ * (near + work_.far_bytes / machine_.copy_rate) + far;
  }

  // Ratio of a node's work to that of its busiest rank: its ranks hold sites, its writers own chunks.
  double of_node(double of_rank) const {
    const double busiest = std::max(work_.packed, work_.stored);
    return of_rank * std::max(ranks_on_node_ * work_.packed, writers_on_node_ * work_.stored) / busiest;
  }

  double link() const { return (of_node(work_.far_bytes) + writers_on_node_ * work_.stored) / machine_.link_rate; }

  double memory() const {
    const double copies = moves_by_messages() ? 3 : 1;
    return (ranks_on_node_ * work_.packed + of_node(copies * work_.near_bytes + work_.far_bytes)) /
           machine_.copy_rate_node;
  }

  const Work& work_;
  bool writing_;
  Strategy strategy_;
  const TransferContext& context_;
  const Machine& machine_;
  double all_bytes_ = 0;
  double ranks_on_node_ = 1;
  double nodes_ = 1;
  double writers_on_node_ = 1;
  double turns_ = 1;          // ranks that share a core
  double writers_turns_ = 1;  // writers that share a core
};

}  // namespace

double expected_chunks(const Transfer& transfer, const Geometry& geometry, std::uint64_t chunk_bytes) {
  const double chunk = real(chunk_bytes);
  double distance = real(transfer.site_bytes());  // from one slice of the dimension to the next
  double span = distance;                         // from the first byte of the rank in a slice to its last one
  double chunks = 1 + span / chunk;               // per slice
  for (const int d : geometry.order()) {
    const double slices = static_cast<double>(transfer.dealt->block(d, 0).extent);
    const double gap = distance - span;
    span += (slices - 1) * distance;
    // If a gap is shorter than a chunk, no chunk is skipped in it.
    chunks = gap <= chunk ? 1 + span / chunk : slices * chunks;
    distance *= static_cast<double>(transfer.payload.stored.extents[d]);
  }
  return std::min(chunks, 1 + distance / chunk);
}

Work expected_work(const Transfer& transfer, const Geometry& geometry, const Choice& choice,
                   const TransferContext& context) {
  Work work;
  work.packed = real(geometry.rank_bytes());
  if (choice.strategy == Strategy::direct) {
    add_direct(work, transfer, geometry, choice, context);
  } else {
    add_exchange(work, transfer, geometry, choice, context);
  }
  return work;
}

Prediction predict(const Work& work, const Transfer& transfer, const Geometry& geometry, Strategy strategy,
                   const TransferContext& context, const Machine& machine) {
  return Predicting(work, transfer, geometry, strategy, context, machine).predict();
}

}  // namespace lq::engine
