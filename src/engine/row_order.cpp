// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/row_order.hpp"

#include <algorithm>

#include "engine/encoded_tiles.hpp"
#include "engine/stretches.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tile_map.hpp"

namespace lq::engine {
namespace {

// Sites of a lane that lie contiguous in the file, where the rank has whole rows.
std::uint64_t sites_together(const MemoryLayout& memory, const lattice::RowPlan& plan) {
  std::uint64_t sites = 1, together = plan.memory.volume();
  for (const int d : lattice::resolve_order(plan.file_order, plan.memory.extents.size())) {
    sites *= static_cast<std::uint64_t>(plan.memory.extents[d]);
    const std::uint64_t lanes = memory.lanes[static_cast<std::size_t>(d)];
    if (lanes > 1) together = std::min(together, sites / lanes);
  }
  return together;
}

// Of lane number `lane` of a vector.
Box box_of_lane(const MemoryLayout& memory, Box box, std::uint64_t lane) {
  for (const int d : lattice::resolve_order(memory.order, box.extents.size())) {
    const std::uint64_t lanes = memory.lanes[static_cast<std::size_t>(d)];
    box.extents[d] /= static_cast<std::int64_t>(lanes);
    box.lower[d] += static_cast<std::int64_t>(lane % lanes) * box.extents[d];
    lane /= lanes;
  }
  return box;
}

}  // namespace

std::vector<lattice::Rows> rows_by_lane(const MemoryLayout& memory, const Payload& payload,
                                        const lattice::RowPlan& plan, std::uint64_t max_sites) {
  std::uint64_t lanes = 1;
  for (const std::uint64_t along : memory.lanes) lanes *= along;
  std::vector<lattice::Rows> rows;
  const bool take_turns = lanes > 1 && lanes <= std::min<std::uint64_t>(max_sequences, max_sites) &&
                          payload.is_in_one_piece() && !plan.wanted.empty() &&
                          sites_together(memory, plan) >= max_sites / lanes;
  for (std::uint64_t lane = 0; take_turns && lane < lanes; ++lane) {
    lattice::RowPlan part = plan;
    part.wanted = intersect(plan.wanted, box_of_lane(memory, plan.memory, lane));
    if (!part.wanted.empty()) rows.emplace_back(part);
  }
  if (rows.empty()) rows.emplace_back(plan);
  return rows;
}

std::optional<lattice::Blocks> block_order(const Payload& payload, const Box& wanted) {
  if (payload.encoding.empty() || payload.block.size() == 0 || payload.at_odd_points) return {};
  const std::uint64_t layer = lattice::TileMap(payload).layer_sites() * payload.site_bytes();
  if (layer <= decoded_bytes_kept) return {};
  return lattice::Blocks(payload, wanted);
}

bool are_large_blocks(const Payload& payload, int threads) noexcept {
  return payload.tile_sites * payload.site_bytes() * static_cast<std::uint64_t>(threads) > decoded_bytes_kept;
}

}  // namespace lq::engine
