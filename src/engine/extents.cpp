// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who moves what, in file order.
#include "engine/extents.hpp"

#include "engine/sizes.hpp"
#include "lattice/rows.hpp"
#include "lattice/site_order.hpp"
#include "storage/file_system.hpp"

namespace lq {
namespace engine {

PlannedTransfer::PlannedTransfer(const PlanRequest& request)
    : dealt_(request.lattice, request.processes, request.rank_order) {
  Payload payload;
  payload.offset = request.payload_offset;
  payload.spec = request.spec;
  payload.extents = request.lattice;
  payload.stored = whole(request.lattice);
  payload.length = volume(request.lattice) * request.spec.site_bytes();
  transfer_ = {payload, payload.stored, &dealt_, request.writing};
}

namespace {

// Row by row, each asked of the rank that holds its first site.
std::vector<Extent> rows_in_order(const Transfer& transfer, std::uint64_t limit) {
  std::vector<Extent> extents;
  const Payload& payload = transfer.payload;
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  const std::uint64_t site_bytes = transfer.site_bytes();
  for (std::uint64_t site = 0; site < payload.stored.volume() && extents.size() < limit;) {
    const int rank = transfer.dealt->owner(lattice::site_at(site, payload.stored, order));
    const Box mine = transfer.box_of(rank);
    lattice::Rows rows = transfer.rows_of(mine);
    rows.seek(site);
    lattice::Row row;
    rows.next(row);
    const std::uint64_t end = row.file_site + row.sites;
    extents.push_back({payload.origin() + site * site_bytes, (end - site) * site_bytes, rank});
    site = end;
  }
  return extents;
}

// Chunk by chunk; those of one owner in a row are one extent.
std::vector<Extent> domains_in_order(const Shares& shares, std::uint64_t limit) {
  std::vector<Extent> extents;
  for (std::uint64_t number = shares.first_chunk(); number < shares.end_chunk(); ++number) {
    const Chunk chunk = shares.chunk(number);
    if (chunk.first_byte >= chunk.end_byte) continue;
    const std::uint64_t bytes = chunk.end_byte - chunk.first_byte;
    if (!extents.empty() && extents.back().rank == chunk.owner) {
      extents.back().bytes += bytes;
      continue;
    }
    if (extents.size() == limit) break;
    extents.push_back({chunk.first_byte, bytes, chunk.owner});
  }
  return extents;
}

}  // namespace
}  // namespace engine

std::vector<Extent> extents_of(const TransferPlan& plan, std::uint64_t limit) {
  if (limit == 0) return {};
  const engine::PlannedTransfer planned(plan.request);
  const StrategyPlan& chosen = plan.chosen;
  if (chosen.strategy == Strategy::direct) return engine::rows_in_order(planned.transfer(), limit);
  const engine::ShareOptions shares{
      chosen.shared_dimensions, chosen.owners, chosen.domain_bytes, chosen.chunk_bytes,
      engine::root_owns_edges(storage::needs_single_owner(plan.machine.file_system), plan.request.writing)};
  return engine::domains_in_order(engine::Shares(planned.transfer(), shares), limit);
}

}  // namespace lq
