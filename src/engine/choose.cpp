// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/choose.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/cost.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tile_map.hpp"

namespace lq::engine {
namespace {

// Ranks advance by `step` along a dimension with this many places.
struct Stride {
  std::uint64_t step = 0, places = 1;
};

// Number of sums of steps below `limit`; strides ascend, each beyond all sums of the previous ones.
std::uint64_t sums_below(const std::vector<Stride>& strides, std::uint64_t limit) {
  std::uint64_t below = 1;  // number of sums of the strides so far
  for (const Stride& stride : strides) below *= stride.places;
  std::uint64_t count = 0;
  for (std::size_t k = strides.size(); k-- > 0;) {
    below /= strides[k].places;
    const std::uint64_t whole = limit / strides[k].step;
    if (whole >= strides[k].places) return count + strides[k].places * below;
    count += whole * below;
    limit -= whole * strides[k].step;
  }
  return count + (limit > 0 ? 1 : 0);
}

}  // namespace

Geometry::Geometry(const Transfer& transfer)
    : transfer_(transfer),
      order_(lattice::resolve_order(transfer.payload.order, transfer.payload.stored.extents.size())),
      bytes_(transfer.region.volume() * transfer.site_bytes()),
      rank_bytes_(group_bytes(0)) {}

std::uint64_t Geometry::places(int k) const noexcept {
  const int d = order_[static_cast<std::size_t>(k)];
  return static_cast<std::uint64_t>(std::min(transfer_.dealt->processes()[d], transfer_.region.extents[d]));
}

std::uint64_t Geometry::groups(int shared) const noexcept {
  std::uint64_t count = 1;
  for (int k = shared; k < dimensions(); ++k) count *= places(k);
  return count;
}

std::uint64_t Geometry::members(int shared) const noexcept {
  std::uint64_t count = 1;
  for (int k = 0; k < shared; ++k) count *= places(k);
  return count;
}

std::uint64_t Geometry::piece_bytes(int shared) const noexcept {
  std::uint64_t bytes = transfer_.site_bytes();
  for (int k = 0; k < dimensions(); ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    const std::int64_t extent = k < shared ? transfer_.region.extents[d] : transfer_.dealt->block(d, 0).extent;
    bytes *= static_cast<std::uint64_t>(extent);
    if (extent < transfer_.payload.stored.extents[d]) break;
  }
  return bytes;
}

std::uint64_t Geometry::group_bytes(int shared) const noexcept {
  std::uint64_t bytes = transfer_.site_bytes();
  for (int k = 0; k < dimensions(); ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    bytes *= static_cast<std::uint64_t>(k < shared ? transfer_.region.extents[d] : transfer_.dealt->block(d, 0).extent);
  }
  return bytes;
}

std::uint64_t Geometry::members_on_node(int shared, int rank, std::uint64_t ranks_per_node) const {
  const lattice::Decomposition& dealt = *transfer_.dealt;
  const Box mine = dealt.box_of(rank);
  if (mine.empty()) return 0;
  Coord first = dealt.process_of(mine.lower);
  const std::uint64_t begin = static_cast<std::uint64_t>(rank) / ranks_per_node * ranks_per_node;
  const std::uint64_t end = begin + ranks_per_node;
  if (!dealt.holders().empty()) return listed_members_between(begin, end, shared, first);
  std::vector<Stride> strides;
  const Coord corner = Coord::filled(dimensions(), 0);
  for (int k = 0; k < shared; ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    first[d] = 0;
    if (places(k) == 1) continue;
    Coord next = corner;
    next[d] = 1;
    strides.push_back({static_cast<std::uint64_t>(dealt.rank_at(next) - dealt.rank_at(corner)), places(k)});
  }
  std::ranges::sort(strides, {}, &Stride::step);
  const auto base = static_cast<std::uint64_t>(dealt.rank_at(first));
  return sums_below(strides, end - base) - (begin > base ? sums_below(strides, begin - base) : 0);
}

Box Geometry::places_of_group(int shared, Coord place) const {
  Box group{place, Coord::filled(dimensions(), 1)};
  for (int k = 0; k < shared; ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    group.lower[d] = 0;
    group.extents[d] = static_cast<std::int64_t>(places(k));
  }
  return group;
}

std::uint64_t Geometry::listed_members_between(std::uint64_t begin, std::uint64_t end, int shared,
                                               const Coord& place) const {
  const Box group = places_of_group(shared, place);
  std::uint64_t count = 0;
  Coord next = group.lower;
  do {
    const auto rank = static_cast<std::uint64_t>(transfer_.dealt->rank_at(next));
    count += begin <= rank && rank < end ? 1 : 0;
  } while (lattice::advance(next, group, order_));
  return count;
}

bool Geometry::listed_groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const {
  const Box all = places_of_group(dimensions(), Coord::filled(dimensions(), 0));
  const std::uint64_t each = members(shared);  // members of a group; they are consecutive in the file's order
  std::uint64_t number = 0, node_of_group = 0;
  Coord next = all.lower;
  do {
    const std::uint64_t node = static_cast<std::uint64_t>(transfer_.dealt->rank_at(next)) / ranks_per_node;
    if (number++ % each == 0) node_of_group = node;
    if (node != node_of_group) return false;
  } while (lattice::advance(next, all, order_));
  return true;
}

// Consecutive ranks without a gap, whose number divides a node.
bool Geometry::groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const {
  const lattice::Decomposition& dealt = *transfer_.dealt;
  if (!dealt.holders().empty()) return listed_groups_stay_on_nodes(shared, ranks_per_node);
  const std::uint64_t all = volume(dealt.processes());
  if (all <= ranks_per_node) return true;
  std::uint64_t dense = 1;  // consecutive ranks in one group
  Coord next = Coord::filled(dimensions(), 0);
  const int corner = dealt.rank_at(next);
  std::vector<Stride> strides;
  for (int k = 0; k < shared; ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    if (dealt.processes()[d] == 1) continue;
    next[d] = 1;
    const int step = dealt.rank_at(next) - corner;
    next[d] = 0;
    strides.push_back({static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(dealt.processes()[d])});
  }
  std::ranges::sort(strides, {}, &Stride::step);
  for (const Stride& stride : strides) {
    if (stride.step != dense) return false;
    dense *= stride.places;
  }
  return ranks_per_node % dense == 0;
}

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t usual_chunk = 512 * 1024;  // half of a second level cache
constexpr std::uint64_t long_piece = 1024 * 1024;
constexpr std::uint64_t chunk_of_servers = 1024 * 1024;  // halves the number of calls, each of which waits
// For clients that prefetch sequential reads (measured on ceph-fuse, four ranks: 1.4 times the rate of 1 MiB).
constexpr std::uint64_t longest_run = 8 * 1024 * 1024;
constexpr std::uint64_t few_sites = 8;  // in a chunk, at least
constexpr std::uint64_t largest_alignment = std::uint64_t{1} << 30;
// At most: when writing, two assembled, two arriving, four leaving; when reading, two read, four awaited, four spare.
constexpr std::uint64_t chunks_in_memory = 10;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

// The largest divisor of `alignment` between the bounds; 0 if there is none.
std::uint64_t divisor_between(std::uint64_t alignment, std::uint64_t least, std::uint64_t most) {
  for (std::uint64_t parts = (alignment + most - 1) / most; parts <= alignment / least; ++parts) {
    if (alignment % parts == 0) return alignment / parts;
  }
  return 0;
}

// A buffer also holds the sites that extend beyond the chunk, and is rounded up to a page.
std::uint64_t chunk_overhead(std::uint64_t site_bytes) { return 2 * site_bytes + page; }

std::uint64_t alignment_for(const RouteOptions& options, const TransferContext& context) {
  const std::uint64_t block = std::max<std::uint64_t>(context.block_bytes, 1);
  const std::uint64_t wanted = options.alignment == 0 ? block : options.alignment;
  if (wanted > largest_alignment || (context.needs_single_owner && block > largest_alignment)) {
    base::fail(Code::invalid_argument, {}, "alignment {}: expected at most {} bytes", std::max(wanted, block),
               largest_alignment);
  }
  return context.needs_single_owner ? round_up(std::max(wanted, page), block) : round_up(page, wanted);
}

// The smallest piece that gets a separate owner: a request for small chunks implies small pieces.
std::uint64_t piece_for(const RouteOptions& options) {
  return options.chunk_bytes == 0 ? long_piece : std::min(long_piece, options.chunk_bytes);
}

bool is_read_in_order(const Transfer& transfer, const RouteOptions& options, const TransferContext& context) {
  return !transfer.writing && context.reads_in_order && options.chunk_bytes == 0;
}

// Domains that are long enough for sequential reading, but leave some for each rank.
std::uint64_t domain_in_order(const Transfer& transfer, const ChunkSizes& sizes) {
  const std::uint64_t bytes = transfer.payload.stored.volume() * transfer.site_bytes();
  const std::uint64_t of_rank = bytes / volume(transfer.dealt->processes());
  const std::uint64_t unit = std::max(sizes.chunk_bytes, sizes.alignment);
  return std::max(sizes.domain_bytes, std::min(of_rank, longest_run) / unit * unit);
}

// The default chunk of an exchange. A rank that moves less than the preferred call size does not justify chunks that
// leave other ranks without any.
std::uint64_t usual_chunk_of(const Transfer& transfer, const TransferContext& context, bool in_order) {
  const bool waits = in_order || (transfer.writing && context.lies_on_servers);
  const std::uint64_t usual = waits ? chunk_of_servers : usual_chunk;
  if (context.call_bytes <= usual) return usual;
  const std::uint64_t bytes = transfer.payload.stored.volume() * transfer.site_bytes();
  const std::uint64_t of_rank = bytes / volume(transfer.dealt->processes());
  return std::clamp(of_rank / chunk_of_servers * chunk_of_servers, std::uint64_t{chunk_of_servers}, context.call_bytes);
}

std::string reason_of(const ChunkSizes& sizes, std::uint64_t asked, std::uint64_t memory,
                      const TransferContext& context) {
  if (asked > sizes.chunk_bytes) {
    return fmt::format("smaller than the requested {}: {} chunks must fit into the {} of `memory_bytes`",
                       base::binary_bytes(asked), chunks_in_memory, base::binary_bytes(memory));
  }
  if (asked > 0) return asked == sizes.chunk_bytes ? "requested" : "requested, then aligned";
  if (context.call_bytes == 0) return {};
  if (sizes.chunk_bytes >= context.call_bytes)
    return "the call size with which the servers of this file system are fast";
  return fmt::format("smaller than the {} with which the servers of this file system are fast: {}",
                     base::binary_bytes(context.call_bytes),
                     memory_of_exchange(context.call_bytes, 0) > memory
                         ? fmt::format("`memory_bytes` is {}", base::binary_bytes(memory))
                         : "each rank moves little");
}

// Chunks of `usual` bytes, unless the caller requests another size.
std::optional<ChunkSizes> sizes_around(std::uint64_t usual, std::uint64_t site_bytes, const RouteOptions& options,
                                       const TransferContext& context) {
  ChunkSizes sizes;
  sizes.alignment = alignment_for(options, context);
  const std::uint64_t memory = granted_memory(options.memory_bytes, context.call_bytes);
  const std::uint64_t buffer = memory / chunks_in_memory;
  if (site_bytes > buffer / few_sites || chunk_overhead(site_bytes) > buffer) return std::nullopt;
  const std::uint64_t least = std::max(few_sites * site_bytes, page);
  const std::uint64_t most = buffer - chunk_overhead(site_bytes);
  const std::uint64_t wanted = options.chunk_bytes == 0 ? usual : options.chunk_bytes;
  if (least > most) return std::nullopt;
  const std::uint64_t target = std::clamp(wanted, least, most);
  if (sizes.alignment > target) {
    sizes.chunk_bytes = divisor_between(sizes.alignment, least, target);
    if (sizes.chunk_bytes == 0) sizes.chunk_bytes = divisor_between(sizes.alignment, least, most);
  } else {
    sizes.chunk_bytes = target / sizes.alignment * sizes.alignment;
    if (sizes.chunk_bytes < least) sizes.chunk_bytes += sizes.alignment;
  }
  if (sizes.chunk_bytes == 0 || sizes.chunk_bytes > most) return std::nullopt;
  sizes.domain_bytes =
      round_up(std::max(piece_for(options), sizes.alignment), std::max(sizes.chunk_bytes, sizes.alignment));
  sizes.reason = reason_of(sizes, options.chunk_bytes, memory, context);
  return sizes;
}

}  // namespace

std::optional<ChunkSizes> chunk_sizes(const Transfer& transfer, const RouteOptions& options,
                                      const TransferContext& context) {
  const std::uint64_t site_bytes = transfer.site_bytes();
  std::optional<ChunkSizes> sizes;
  if (has_whole_layers(transfer, options, context)) {
    const std::uint64_t layer = lattice::TileMap(transfer.payload).layer_sites() * site_bytes;
    sizes =
        ChunkSizes{.alignment = 1, .chunk_bytes = layer, .domain_bytes = layer, .reason = "a layer of encoded tiles"};
  } else if (transfer.payload.encoding.empty() || !transfer.writing) {
    const bool in_order = is_read_in_order(transfer, options, context);
    sizes = sizes_around(usual_chunk_of(transfer, context, in_order), site_bytes, options, context);
    if (sizes && in_order) sizes->domain_bytes = domain_in_order(transfer, *sizes);
  }
  // Tiles and links begin anywhere in the file: one rank writes them all if two clients must not write into one block.
  if (sizes && !transfer.payload.is_in_one_piece() && transfer.writing && context.needs_single_owner) {
    const std::uint64_t all = std::max<std::uint64_t>(transfer.payload.stored.volume() * site_bytes, 1);
    sizes->domain_bytes = round_up(all, sizes->domain_bytes);
  }
  return sizes;
}

bool has_whole_layers(const Transfer& transfer, const RouteOptions& options, const TransferContext& context) {
  if (transfer.payload.encoding.empty()) return false;
  const std::uint64_t site_bytes = transfer.site_bytes();
  const std::uint64_t sites = lattice::TileMap(transfer.payload).layer_sites();
  const std::uint64_t memory = granted_memory(options.memory_bytes, context.call_bytes);
  return sites <= memory / site_bytes && memory_of_exchange(sites * site_bytes, site_bytes) <= memory;
}

std::uint64_t memory_of_exchange(std::uint64_t chunk_bytes, std::uint64_t site_bytes) {
  return chunks_in_memory * (chunk_bytes + chunk_overhead(site_bytes));
}

std::uint64_t writers_for_targets(std::uint64_t targets, std::uint64_t ranks, const Machine& machine) {
  constexpr double least_of_a_target = 4;
  if (targets == 0 || targets > ranks / 2) return 0;
  const double rate_of_a_target = machine.write_rate_total / real(std::max<std::uint64_t>(machine.servers, 1));
  const double wanted = std::max(2 * std::ceil(rate_of_a_target / machine.write_rate), least_of_a_target);
  const auto writers = targets * static_cast<std::uint64_t>(std::min(wanted, real(ranks / targets)));
  return writers < ranks ? writers : 0;
}

int shared_dimensions(const Geometry& geometry, const RouteOptions& options) {
  const int all = geometry.dimensions();
  int shared = 0;
  while (shared < all && geometry.piece_bytes(shared) < piece_for(options)) ++shared;
  if (options.aggregators > 0) {
    while (shared < all && geometry.groups(shared) > options.aggregators) ++shared;
  }
  return shared;
}

std::uint64_t owners_of_group(const Geometry& geometry, int shared, const RouteOptions& options) {
  const std::uint64_t members = geometry.members(shared);
  if (options.aggregators == 0) return 0;
  const std::uint64_t owners = std::max<std::uint64_t>(options.aggregators / geometry.groups(shared), 1);
  return owners >= members ? 0 : owners;
}

Choice choose(const Transfer& transfer, const TransferContext& context, const RouteOptions& options,
              const Machine& machine) {
  const Geometry geometry(transfer);
  const std::vector<Candidate> all = candidates(transfer, geometry, context, options, machine);
  std::string reason = "requested";
  if (options.strategy == Strategy::automatic) {
    Choice choice = best_of(all, transfer, geometry, context, options, machine, reason).choice;
    choice.reason = std::move(reason);
    return choice;
  }
  const auto asked =
      std::ranges::find_if(all, [&](const Candidate& one) { return one.choice.strategy == options.strategy; });
  if (!asked->is_possible()) {
    base::fail(Code::unsupported, {}, "strategy \"{}\" is not possible: {}", name(options.strategy), asked->obstacle);
  }
  Choice choice = asked->choice;
  choice.reason = std::move(reason);
  return choice;
}

}  // namespace lq::engine
