// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See sites.hpp.
#include "io/sites.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/machine.hpp>

#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "route/choose.hpp"

namespace lq::io {

namespace {

// The sites of this rank, in coordinates of the file's lattice.
lattice::RowPlan rows_of(const SiteRequest& request, const Field& memory) {
  Box mine = request.grid.local_box();
  for (int d = 0; d < mine.lower.size(); ++d) mine.lower[d] += request.region.lower[d];
  const Payload& payload = request.payload;
  return {payload.extents, payload.stored, payload.order, mine, memory.order, mine};
}

// Whether neighbours may take this rank's sites out of its memory in long pieces.
bool is_readable(const lattice::RowPlan& plan, const Field& memory) {
  lattice::Rows rows(plan);
  lattice::Row row;
  return !rows.next(row) || (memory.data != nullptr && row.memory_stride == 1);
}

// A choice without its words.
struct Decision {
  Strategy strategy = Strategy::direct;
  route::ShareOptions shares;
};

// Collective. Rank 0 decides for all: others may see another file system, or another profile.
Decision decide(const SiteRequest& request, const route::Transfer& transfer, route::Situation situation) {
  comm::Comm& comm = request.grid.communicator().engine();
  Decision decision;
  comm::agree_at_root(comm, [&] {
    try {
      situation.block_bytes = request.unit.bytes;
      situation.needs_single_owner = request.unit.single_owner;
      situation.checksum = request.checksum;
      const Machine machine = site_machine();
      situation.can_pull = situation.can_pull && machine.pull_permitted;
      situation.can_share = situation.can_share && machine.shared_memory_permitted;
      const route::Choice choice = route::choose(transfer, situation, request.options, machine);
      decision = {choice.strategy, choice.shares};
    } catch (const Error& error) {
      ErrorFacts facts = error.facts();
      facts.path = request.path;
      throw Error(error.code(), fmt::format("{}: {}", request.path, error.what()), facts);
    }
  });
  comm.broadcast(std::as_writable_bytes(std::span(&decision, 1)), 0);
  return decision;
}

// Collective.
route::Situation look_around(comm::Comm& comm, bool is_readable) {
  const comm::Node& node = comm.node();
  std::array<std::uint64_t, 1> all{is_readable ? 1U : 0U};
  comm.all_reduce(all, comm::Reduce::min);
  route::Situation situation;
  situation.is_known = true;
  situation.ranks_per_node = static_cast<std::uint64_t>(node.largest());
  situation.is_one_node = node.is_only();
  situation.can_share = true;  // where it turns out that there is no memory to share, messages take its place
  situation.can_pull = node.can_pull();
  situation.is_in_memory = all[0] == 1;
  return situation;
}

// Collective.
Decision choose(const SiteRequest& given, const route::Transfer& transfer, bool is_readable) {
  comm::Comm& comm = given.grid.communicator().engine();
  // Ranks may see the file through different file systems: a server its disk, the others the network. The strictest
  // view counts.
  std::array<std::uint64_t, 2> strictest{given.unit.bytes, given.unit.single_owner ? 1U : 0U};
  comm.all_reduce(strictest, comm::Reduce::max);
  SiteRequest request = given;
  request.unit.bytes = strictest[0];
  request.unit.single_owner = strictest[1] == 1;
  const Strategy wish = request.options.strategy;
  // Rows that are long enough need to know nothing of the other ranks.
  if (wish == Strategy::automatic && !request.unit.single_owner) {
    const Decision early = decide(request, transfer, {});
    if (early.strategy == Strategy::direct) return early;
  }
  return decide(request, transfer, look_around(comm, is_readable));
}

// Collective. The options with a second thread where every rank has a core for it and enough to do.
pump::PumpOptions with_threads(const SiteRoute& route, const Grid& grid, const Payload& payload,
                               pump::PumpOptions options) {
  constexpr std::uint64_t worth_a_thread = 16 * 1024 * 1024;
  comm::Comm& comm = grid.communicator().engine();
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  if (route.strategy != Strategy::direct || payload.length / ranks < worth_a_thread) return options;
  const comm::Node& node = comm.node();
  options.second_thread = route.threads == 0 ? node.idle_cores() >= node.largest() : route.threads > 1;
  return options;
}

// Collective. Where there is no memory to share, messages take its place, and the route says so.
std::unique_ptr<pump::Paths> open_paths(comm::Comm& comm, SiteRoute& route, const Field& field) {
  std::unique_ptr<pump::Paths> paths = pump::open_paths(comm, *route.shares, route.strategy, field);
  if (paths->node == nullptr) route.strategy = Strategy::messages;
  return paths;
}

}  // namespace

std::string describe(const RouteOptions& options) {
  return fmt::format("{}, {} aggregators, chunks of {} bytes, aligned to {}, memory {}", name(options.strategy),
                     options.aggregators, options.chunk_bytes, options.alignment, options.memory_bytes);
}

SiteRoute route_sites(const SiteRequest& request, const Field& memory) {
  comm::Comm& comm = request.grid.communicator().engine();
  SiteRoute route;
  route::Transfer transfer;
  bool readable = false;
  comm::agree(comm, [&] {
    route.rows = rows_of(request, memory);
    transfer = {request.payload, request.region, &request.grid.decomposition(), request.writing};
    readable = is_readable(route.rows, memory);
  });
  route.threads = request.options.threads;
  const Decision decision = choose(request, transfer, readable);
  route.strategy = decision.strategy;
  if (decision.strategy == Strategy::direct) {
    route.touches_file = request.grid.local_volume() > 0;
    return route;
  }
  comm::agree(comm, [&] {
    route.shares = std::make_shared<route::Shares>(transfer, decision.shares);
    route.touches_file = route.shares->next_owned(comm.rank(), 0).has_value();
  });
  return route;
}

std::unique_ptr<pump::Movement> move_sites_out(SiteRoute& route, const Grid& grid, const Field& field,
                                               const Payload& payload, transport::File* file,
                                               const pump::PumpOptions& options, pump::Tally& tally) {
  comm::Comm& comm = grid.communicator().engine();
  const pump::PumpOptions how = with_threads(route, grid, payload, options);
  std::unique_ptr<pump::Paths> paths;
  if (route.shares) paths = open_paths(comm, route, field);
  return comm::agree(comm, [&]() -> std::unique_ptr<pump::Movement> {
    if (route.shares) {
      return pump::exchange_out(field, route.rows, route.shares, std::move(paths), file, tally);
    }
    if (!route.touches_file) return pump::move_nothing();
    return pump::move_out(field, payload, route.rows, *file, how, tally);
  });
}

std::unique_ptr<pump::Movement> move_sites_in(SiteRoute& route, const Grid& grid, const MutableField& field,
                                              const Payload& payload, base::ByteSource* file,
                                              const pump::PumpOptions& options, pump::Tally& tally) {
  comm::Comm& comm = grid.communicator().engine();
  const pump::PumpOptions how = with_threads(route, grid, payload, options);
  std::unique_ptr<pump::Paths> paths;
  if (route.shares) paths = open_paths(comm, route, {});
  return comm::agree(comm, [&]() -> std::unique_ptr<pump::Movement> {
    if (route.shares) {
      return pump::exchange_in(field, route.rows, route.shares, std::move(paths), file, tally);
    }
    if (!route.touches_file) return pump::move_nothing();
    return pump::move_in(*file, payload, route.rows, field, how, tally);
  });
}

}  // namespace lq::io
