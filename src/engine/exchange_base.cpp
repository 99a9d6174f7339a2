// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of both directions of an exchange: slots, and paths to other ranks.
#include "engine/exchange_base.hpp"

#include <unistd.h>

#include <new>

#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "lattice/site_order.hpp"

namespace lq::engine {

void Slots::reset() const noexcept {
  for (std::uint64_t i = 0; i < count; ++i) new (&control(i)) SlotControl;
  new (&given_up()) std::atomic<std::uint64_t>(0);
}

std::uint64_t Slots::find(std::uint64_t chunk) const noexcept {
  std::uint64_t i = 0;
  while (i < count && control(i).open.load(std::memory_order_acquire) != chunk + 1) ++i;
  return i;
}

namespace {

// A Neighbour as bytes.
struct NeighbourInfo {
  std::int64_t process = 0;
  std::uint64_t address = 0;
  std::int32_t precision = 0;
  std::array<std::int8_t, max_dimensions> order{};
};

// Collective over `all`.
std::vector<Neighbour> exchange_neighbours(comm::Comm& all, comm::Comm& node, const Field& field, int dimensions) {
  NeighbourInfo mine{::getpid(), reinterpret_cast<std::uint64_t>(field.data),
                     static_cast<std::int32_t>(field.spec.precision)};
  std::vector<NeighbourInfo> infos;
  comm::agree(all, [&] {
    const SiteOrder order = lattice::resolve_order(field.order, dimensions);
    for (std::size_t k = 0; k < order.size(); ++k) mine.order[k] = static_cast<std::int8_t>(order[k]);
    infos.resize(static_cast<std::size_t>(node.size()));
  });
  comm::all_gather(node, mine, std::span(infos));
  return comm::agree(all, [&] {
    std::vector<Neighbour> neighbours;
    for (const NeighbourInfo& info : infos) {
      neighbours.push_back({info.process, info.address, static_cast<Precision>(info.precision),
                            SiteOrder(info.order.begin(), info.order.begin() + dimensions)});
    }
    return neighbours;
  });
}

}  // namespace

std::uint64_t slot_bytes_of(const engine::Shares& shares) {
  return shares.max_chunk_sites() * shares.transfer().site_bytes();
}

std::unique_ptr<Paths> open_paths(comm::Comm& comm, base::FunctionRef<const engine::Shares&()> make_shares,
                                  Strategy strategy, const Field& field) {
  const bool shares_memory = strategy != Strategy::messages;
  if (shares_memory) comm.node();
  const engine::Shares* shares = nullptr;
  std::uint64_t bytes = 0;
  std::array<comm::Term, 1 + comm::Node::lease_terms + comm::Channel::terms> terms{};
  const auto free = std::span(terms).subspan<1, comm::Node::lease_terms>();
  const auto used = std::span(terms).subspan<1 + comm::Node::lease_terms, comm::Channel::terms>();
  comm::Channel::tell(comm, used);
  auto paths = comm::agree(comm, terms, [&] {
    shares = &make_shares();
    bytes = Slots::bytes(slot_bytes_of(*shares));
    auto made = std::make_unique<Paths>(comm);
    if (!shares_memory) return made;
    comm.node().report_free(bytes, free);
    made->lease = std::make_unique<comm::Node::Lease>(comm.node());
    return made;
  });
  if (shares_memory && comm.node().fill(*paths->lease, bytes, free)) {
    paths->node = &comm.node();
  } else {
    paths->lease.reset();
  }
  if (paths->node != nullptr && strategy == Strategy::pull && shares->transfer().writing) {
    paths->neighbours =
        exchange_neighbours(comm, paths->node->comm(), field, shares->transfer().payload.extents.size());
  }
  if (paths->need_messages()) paths->channel.emplace(comm, used);
  return paths;
}

void close_own_slots(Paths& paths, const engine::Shares& shares) {
  if (!paths.lease) paths.own.resize(static_cast<std::size_t>(Slots::bytes(slot_bytes_of(shares))) + 4096);
  Peers(shares, paths).own_slots().reset();
}

Peers::Peers(const engine::Shares& shares, const Paths& paths)
    : shares_(shares),
      paths_(paths),
      slot_bytes_(slot_bytes_of(shares)),
      rows_(shares.transfer().rows_of(shares.transfer().region)),
      file_order_(rows_.plan().file_order) {}

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
  if (rank == rows_rank_) return rows_;
  const Neighbour* const near = neighbour(rank);
  rows_.aim_at(shares_.transfer().box_of(rank), near != nullptr ? near->order : file_order_);
  rows_rank_ = rank;
  return rows_;
}

}  // namespace lq::engine
