// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites to and from a file of the caller's.
#include <limequat/storage.hpp>

#include <functional>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "grid/local_field.hpp"
#include "io/sites.hpp"
#include "io/storage_file.hpp"

namespace lq {

Storage::~Storage() = default;

Payload payload_at(std::uint64_t offset, const FieldSpec& spec, const Extents& extents, ByteOrder byte_order) {
  Payload payload;
  payload.offset = offset;
  payload.spec = grid::resolve_spec(spec, extents.size());
  payload.length = base::multiply_or_throw(volume(extents), payload.spec.site_bytes(), "the bytes of the sites");
  payload.extents = extents;
  payload.stored = whole(extents);
  payload.byte_order = byte_order;
  return payload;
}

namespace {

constexpr std::uint64_t largest_end = std::uint64_t{1} << 63;

// What must be the same on all ranks.
std::string describe(const Payload& payload, const SiteOptions& options) {
  std::string order;
  for (const int d : payload.order) order += fmt::format("{} ", d);
  return fmt::format(
      "byte {}, {} bytes, {} numbers per site, {}, {}-endian, {} from {} of {}, order {}, checksum {}, {}",
      payload.offset, payload.length, payload.spec.numbers, name(payload.spec.precision),
      payload.byte_order == ByteOrder::big ? "big" : "little", to_string(payload.stored.extents),
      to_string(payload.stored.lower), to_string(payload.extents), order, options.checksum,
      io::describe(options.route));
}

void require_fit(const Payload& payload, const Grid& grid, const FieldSpec& spec, const std::string& path) {
  const bool fits = payload.stored.extents == grid.extents() && payload.spec.numbers == spec.numbers;
  if (fits && payload.length != payload.stored.volume() * payload.spec.site_bytes()) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: {} bytes are no place for {} sites of {} bytes", path, payload.length,
                            payload.stored.volume(), payload.spec.site_bytes()),
                {.path = path});
  }
  std::uint64_t end = 0;
  if (__builtin_add_overflow(payload.offset, payload.length, &end) || end > largest_end) {
    throw Error(
        Code::too_large,
        fmt::format("{}: {} bytes from byte {} on end behind the largest file", path, payload.length, payload.offset),
        {.path = path});
  }
  if (fits) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("{}: the place in the file is for {} with {} numbers per site, the field is {} with {}", path,
                  to_string(payload.stored.extents), payload.spec.numbers, to_string(grid.extents()), spec.numbers),
      {.path = path});
}

// What both directions share; `move` makes the movement.
template <class Move>
Report move_sites(io::StorageFile& file, const Payload& payload, const Grid& grid, const Field& memory,
                  const SiteOptions& options, bool writing, Move move) {
  comm::Comm& comm = grid.communicator().engine();
  const base::Stopwatch watch;
  comm::require_same(comm, [&] {
    return std::vector<comm::Stated>{{"the place of the sites", describe(payload, options)}};
  });
  const transport::Unit unit = comm::agree(comm, [&] {
    require_fit(payload, grid, memory.spec, file.path());
    return transport::posix().unit(file.path());
  });
  // The caller's file may be one of MPI, which need not bear other threads.
  RouteOptions own_thread = options.route;
  own_thread.threads = 1;
  io::SiteRoute route = io::route_sites({.path = file.path(),
                                         .grid = grid,
                                         .payload = payload,
                                         .region = payload.stored,
                                         .unit = unit,
                                         .writing = writing,
                                         .checksum = options.checksum,
                                         .options = own_thread},
                                        memory);
  pump::Tally tally = comm::agree(
      comm, [&] { return pump::Tally(payload, options.checksum ? std::vector<SumName>{{}} : std::vector<SumName>{}); });
  const std::unique_ptr<pump::Movement> movement =
      move(route, route.touches_file ? &file : nullptr, pump::PumpOptions{.block_bytes = options.block_bytes}, tally);
  comm::agree_on_success(comm, pump::outcome_of(*movement));
  tally.reduce(comm);

  Report report;
  comm::agree_alike(comm, [&] {
    report.path = file.path();
    report.sums = tally.sums.values();
  });
  report.spec = payload.spec;
  report.extents = grid.extents();
  report.ranks = grid.size();
  report.written = writing;
  report.strategy = route.strategy;
  report.bytes = tally.bytes;
  report.checksum = tally.sums.total();
  report.zeros = tally.zeros;
  report.seconds = {.pack = tally.pack_seconds,
                    .exchange = tally.exchange_seconds,
                    .storage = tally.storage_seconds,
                    .sync = 0,
                    .total = comm::max_over_ranks(comm, watch.seconds())};
  return report;
}

}  // namespace

Report write_sites(Storage& storage, const Payload& payload, const Grid& grid, const Field& field,
                   const SiteOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const std::unique_ptr<io::StorageFile> opened =
      comm::agree(comm, [&] { return std::make_unique<io::StorageFile>(storage); });
  io::StorageFile& file = *opened;
  const Field local = comm::agree(comm, [&] { return grid::resolve_field(grid, field); });
  return move_sites(file, payload, grid, local, options, true,
                    [&](auto& route, auto* to, const auto& how, auto& tally) {
                      return io::move_sites_out(route, grid, local, payload, to, how, tally);
                    });
}

Report read_sites(Storage& storage, const Payload& payload, const Grid& grid, const MutableField& field,
                  const SiteOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const std::unique_ptr<io::StorageFile> opened =
      comm::agree(comm, [&] { return std::make_unique<io::StorageFile>(storage); });
  io::StorageFile& file = *opened;
  const MutableField local = comm::agree(comm, [&] { return grid::resolve_field(grid, field); });
  const Field memory = comm::agree(comm, [&] {
    return Field{local.spec, local.store ? nullptr : local.data, local.available, local.order, {}};
  });
  return move_sites(file, payload, grid, memory, options, false,
                    [&](auto& route, auto* from, const auto& how, auto& tally) {
                      return io::move_sites_in(route, grid, local, payload, from, how, tally);
                    });
}

}  // namespace lq
