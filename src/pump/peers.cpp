// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See peers.hpp, exchange.hpp.
#include "pump/peers.hpp"

#include <unistd.h>

#include <array>

#include "comm/agree.hpp"
#include "comm/all_gather.hpp"
#include "lattice/site_order.hpp"

namespace lq::pump {
namespace {

// A Neighbour as bytes.
struct Card {
  std::int64_t process = 0;
  std::uint64_t address = 0;
  std::int32_t precision = 0;
  std::array<std::int8_t, max_dimensions> order{};
};

std::vector<Neighbour> meet_neighbours(comm::Comm& node, const Field& field, int dimensions) {
  Card mine{::getpid(), reinterpret_cast<std::uint64_t>(field.data), static_cast<std::int32_t>(field.spec.precision)};
  const SiteOrder order = lattice::resolve_order(field.order, dimensions);
  for (std::size_t k = 0; k < order.size(); ++k) mine.order[k] = static_cast<std::int8_t>(order[k]);
  std::vector<Neighbour> neighbours;
  for (const Card& card : comm::all_gather(node, mine)) {
    neighbours.push_back({card.process, card.address, static_cast<Precision>(card.precision),
                          SiteOrder(card.order.begin(), card.order.begin() + dimensions)});
  }
  return neighbours;
}

}  // namespace

std::uint64_t slot_bytes_of(const route::Shares& shares) {
  return shares.max_chunk_sites() * shares.transfer().site_bytes();
}

std::unique_ptr<Paths> open_paths(comm::Comm& comm, const route::Shares& shares, Strategy strategy,
                                  const Field& field) {
  auto paths = std::make_unique<Paths>(Paths{.comm = comm});
  paths->channel = comm.next_channel();
  const std::uint64_t bytes = Slots::bytes(slot_bytes_of(shares));
  if (strategy != Strategy::messages) {
    paths->lease = comm.node().lease(bytes);
    if (paths->lease) paths->node = &comm.node();
  }
  if (paths->node != nullptr && strategy == Strategy::pull && shares.transfer().writing) {
    paths->neighbours = meet_neighbours(paths->node->comm(), field, shares.transfer().payload.extents.size());
  }
  // The agreement is a barrier, too: nobody looks at slots of another transfer.
  comm::agree(comm, [&] {
    if (!paths->lease) paths->own.resize(static_cast<std::size_t>(bytes) + 4096);
    Peers(shares, *paths).own_slots().reset();
  });
  return paths;
}

Peers::Peers(const route::Shares& shares, const Paths& paths)
    : shares_(shares), paths_(paths), slot_bytes_(slot_bytes_of(shares)) {}

std::optional<Slots> Peers::slots_of(int rank) const {
  if (paths_.node != nullptr) {
    const std::optional<int> index = paths_.node->index_of(rank);
    return index ? std::optional(Slots(paths_.lease->area(*index), slot_bytes_)) : std::nullopt;
  }
  if (rank != paths_.comm.rank()) return std::nullopt;
  const auto start = reinterpret_cast<std::uintptr_t>(paths_.own.data());
  return Slots(const_cast<std::byte*>(paths_.own.data()) + (4096 - start % 4096), slot_bytes_);
}

const Neighbour* Peers::neighbour(int rank) const {
  if (paths_.neighbours.empty()) return nullptr;
  const std::optional<int> index = paths_.node->index_of(rank);
  return index ? &paths_.neighbours[static_cast<std::size_t>(*index)] : nullptr;
}

lattice::Rows& Peers::rows_of(int rank) {
  const auto known = rows_.find(rank);
  if (known != rows_.end()) return known->second;
  constexpr std::size_t most = 1000;  // one owner of a large machine meets very many
  if (rows_.size() >= most) rows_.clear();
  const route::Transfer& transfer = shares_.transfer();
  const Box box = transfer.box_of(rank);
  const Neighbour* const near = neighbour(rank);
  return rows_
      .emplace(rank, lattice::Rows({transfer.payload.extents, transfer.payload.stored, transfer.payload.order, box,
                                    near != nullptr ? near->order : SiteOrder{}, box}))
      .first->second;
}

}  // namespace lq::pump
