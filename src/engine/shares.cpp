// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/shares.hpp"

#include <algorithm>

#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"

namespace lq::engine {
namespace {

Coord moved(const Coord& x, const Coord& by, std::int64_t sign) {
  Coord result = x;
  for (int d = 0; d < x.size(); ++d) result[d] += sign * by[d];
  return result;
}

}  // namespace

Box Transfer::box_of(int rank) const {
  Box box = dealt->box_of(rank);
  box.lower = moved(box.lower, region.lower, 1);
  return box;
}

lattice::Rows Transfer::rows_of(const Box& box) const {
  return lattice::Rows({payload.extents, payload.stored, payload.order, box, {}, box});
}

Shares::Shares(const Transfer& transfer, const ShareOptions& options)
    : transfer_(transfer),
      options_(options),
      order_(lattice::resolve_order(transfer.payload.order, transfer.payload.stored.extents.size())),
      site_bytes_(transfer.site_bytes()),
      begin_(transfer.payload.origin()),
      end_(begin_ + transfer.payload.stored.volume() * site_bytes_),
      region_rows_(transfer.rows_of(transfer.region)),
      rows_(region_rows_) {
  const lattice::Decomposition& dealt = *transfer.dealt;
  for (int k = 0; k < options_.shared_dimensions; ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    // Ranks beyond the extent hold no sites.
    members_ *= static_cast<std::uint64_t>(std::min(dealt.processes()[d], dealt.extents()[d]));
  }
  owners_ = options_.owners == 0 ? members_ : std::min(options_.owners, members_);
}

std::uint64_t Shares::site_from(std::uint64_t byte) const noexcept {
  return byte <= begin_ ? 0 : (byte - begin_ + site_bytes_ - 1) / site_bytes_;
}

std::uint64_t Shares::domain_begin(std::uint64_t domain) const noexcept {
  return std::max(domain * options_.domain_bytes, begin_);
}

std::optional<std::uint64_t> Shares::first_moved(std::uint64_t site) const {
  if (transfer_.region == transfer_.payload.stored) {
    return site < transfer_.payload.stored.volume() ? std::optional(site) : std::nullopt;
  }
  region_rows_.seek(site);
  lattice::Row row;
  if (!region_rows_.next(row)) return std::nullopt;
  return std::max(row.file_site, site);
}

// All sites of the ranks that differ from `process` only in the shared dimensions.
Box Shares::group_of(const Coord& process) const {
  Box group = transfer_.region;
  for (std::size_t k = static_cast<std::size_t>(options_.shared_dimensions); k < order_.size(); ++k) {
    const int d = order_[k];
    const lattice::Block block = transfer_.dealt->block(d, process[d]);
    group.lower[d] += block.lower;
    group.extents[d] = block.extent;
  }
  return group;
}

// The group in whose sites the domain begins; its members own domains in turn, in the order of their bytes.
int Shares::owner(std::uint64_t domain) const {
  if (options_.root_owns_edges && is_edge(domain)) return 0;
  const std::uint64_t begin = domain_begin(domain);
  const std::optional<std::uint64_t> behind = first_moved(site_from(begin));
  // After the beginning of the last site comes only the end of that site.
  const std::uint64_t site = behind.value_or(transfer_.payload.stored.volume() - 1);
  const Coord x = lattice::site_at(site, transfer_.payload.stored, order_);
  if (!transfer_.region.contains(x)) return transfer_.dealt->rank_at(Coord::filled(x.size(), 0));
  const Coord inside = moved(x, transfer_.region.lower, -1);
  Coord process = transfer_.dealt->process_of(inside);
  const std::uint64_t bytes = lattice::site_number(x, group_of(process), order_) * site_bytes_;
  const std::uint64_t site_begin = begin_ + site * site_bytes_;
  const std::uint64_t ahead = site_begin > begin ? std::min(site_begin - begin, site_bytes_ - 1) : 0;
  const std::uint64_t turn = (bytes - std::min(ahead, bytes)) / options_.domain_bytes % owners_;
  std::uint64_t member = turn * members_ / owners_;  // owners are distributed over the group
  for (int k = 0; k < options_.shared_dimensions; ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    const auto places =
        static_cast<std::uint64_t>(std::min(transfer_.dealt->processes()[d], transfer_.dealt->extents()[d]));
    process[d] = static_cast<std::int64_t>(member % places);
    member /= places;
  }
  return transfer_.dealt->rank_at(process);
}

Chunk Shares::chunk(std::uint64_t number) const {
  const std::uint64_t begin = std::max(number * options_.chunk_bytes, begin_);
  const std::uint64_t end = std::min((number + 1) * options_.chunk_bytes, end_);
  Chunk chunk;
  chunk.number = number;
  chunk.owner = owner(begin / options_.domain_bytes);
  chunk.first_counted = site_from(begin);
  chunk.first_site = chunk.first_counted;
  chunk.end_site = site_from(end);
  chunk.first_byte = begin_ + chunk.first_site * site_bytes_;
  chunk.end_byte = begin_ + chunk.end_site * site_bytes_;
  if (!transfer_.writing) return chunk;
  if (begin % options_.domain_bytes == 0 && begin > begin_) {
    chunk.first_site = (begin - begin_) / site_bytes_;
    chunk.first_byte = begin;
  }
  if (end % options_.domain_bytes == 0) chunk.end_byte = end;
  return chunk;
}

std::optional<Chunk> Shares::next_held(const Box& mine, std::uint64_t from) const {
  if (mine.empty()) return std::nullopt;
  rows_.aim_at(mine, order_);
  for (std::uint64_t number = std::max(from, first_chunk()); number < end_chunk(); ++number) {
    const Chunk candidate = chunk(number);
    if (candidate.sites() == 0) continue;
    rows_.seek(candidate.first_site);
    lattice::Row row;
    if (!rows_.next(row)) return std::nullopt;
    if (row.file_site < candidate.end_site) return candidate;
    // Continue with the chunk that holds the first byte of this rank's next site.
    number = std::max(number, (begin_ + row.file_site * site_bytes_) / options_.chunk_bytes - 1);
  }
  return std::nullopt;
}

bool Shares::is_edge(std::uint64_t domain) const noexcept {
  return domain == begin_ / options_.domain_bytes || domain == (end_ - 1) / options_.domain_bytes;
}

std::optional<Chunk> Shares::next_owned(int rank, std::uint64_t from) const {
  std::optional<Chunk> next = next_of_group(rank, from);
  if (!options_.root_owns_edges || rank != 0) return next;
  // The edges may be in other groups.
  for (const std::uint64_t byte : {begin_, end_ - 1}) {
    const std::optional<Chunk> edge = next_of_domain(byte / options_.domain_bytes, from);
    if (edge && (!next || edge->number < next->number)) next = edge;
  }
  return next;
}

std::optional<Chunk> Shares::next_of_domain(std::uint64_t domain, std::uint64_t from) const {
  const std::uint64_t per_domain = options_.domain_bytes / options_.chunk_bytes;
  const std::uint64_t end = std::min((domain + 1) * per_domain, end_chunk());
  for (std::uint64_t number = std::max({from, first_chunk(), domain * per_domain}); number < end; ++number) {
    const Chunk found = chunk(number);
    const std::optional<std::uint64_t> site = first_moved(found.first_site);
    if (!site) return std::nullopt;
    if (*site >= found.end_site) {
      // Continue with the chunk in which the next moved site begins.
      number = (begin_ + *site * site_bytes_) / options_.chunk_bytes - 1;
    } else if (found.first_byte < found.end_byte) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Chunk> Shares::next_of_group(int rank, std::uint64_t from) const {
  const Box mine = transfer_.dealt->box_of(rank);
  if (mine.empty()) return std::nullopt;
  const Box group = group_of(transfer_.dealt->process_of(mine.lower));
  rows_.aim_at(group, order_);
  const std::uint64_t per_domain = options_.domain_bytes / options_.chunk_bytes;
  for (std::uint64_t number = std::max(from, first_chunk()); number < end_chunk();) {
    const std::uint64_t domain = number / per_domain;
    if (owner(domain) == rank) {
      if (std::optional<Chunk> found = next_of_domain(domain, number)) return found;
    }
    // A domain of this group overlaps sites of this group: skip to the next that does.
    const std::uint64_t behind = (domain + 1) * options_.domain_bytes;
    rows_.seek(behind <= begin_ ? 0 : (behind - begin_) / site_bytes_);
    lattice::Row row;
    if (!rows_.next(row)) return std::nullopt;
    const std::uint64_t byte = begin_ + row.file_site * site_bytes_;
    number = std::max(domain + 1, byte / options_.domain_bytes) * per_domain;
  }
  return std::nullopt;
}

void Shares::holders(const Chunk& chunk, std::vector<int>& ranks) const {
  ranks.clear();
  for (const Box& box : lattice::BoxesOfInterval(chunk.first_site, chunk.end_site, transfer_.payload.stored, order_)) {
    Box part = intersect(box, transfer_.region);
    if (part.empty()) continue;
    part.lower = moved(part.lower, transfer_.region.lower, -1);
    transfer_.dealt->add_holders(part, ranks);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

}  // namespace lq::engine
