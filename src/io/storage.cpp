// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites to and from a file of the caller's.
#include <limequat/storage.hpp>

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "io/sites.hpp"
#include "io/storage_file.hpp"
#include "lattice/local_field.hpp"
#include "options/agreed.hpp"

namespace lq {

Storage::~Storage() = default;

Payload payload_at(std::uint64_t offset, const FieldSpec& spec, const Extents& extents, ByteOrder byte_order) {
  Payload payload;
  payload.offset = offset;
  payload.spec = lattice::resolve_spec(spec, extents.size());
  payload.length = base::multiply_or_throw(volume(extents), payload.spec.site_bytes(), "the bytes of the sites");
  payload.extents = extents;
  payload.stored = whole(extents);
  payload.byte_order = byte_order;
  return payload;
}

namespace {

constexpr std::uint64_t largest_end = std::uint64_t{1} << 63;

// Values that must be the same on all ranks.
std::string describe(const Payload& payload, const SiteOptions& options) {
  std::string order;
  for (const int d : payload.order) order += fmt::format("{} ", d);
  return fmt::format("byte {}, {} bytes, {} numbers per site, {}, {}-endian, {} from {} of {}, order {}, checksum {}",
                     payload.offset, payload.length, payload.spec.numbers, name(payload.spec.precision),
                     payload.byte_order == ByteOrder::big ? "big" : "little", to_string(payload.stored.extents),
                     to_string(payload.stored.lower), to_string(payload.extents), order, options.checksum);
}

void require_fit(const Payload& payload, const Grid& grid, const FieldSpec& spec, const std::string& path) {
  if (!payload.is_in_one_piece() || payload.arrays != 1) {
    base::fail(Code::unsupported, {.path = path}, "sites in files of the caller are contiguous");
  }
  const bool fits = payload.stored.extents == grid.extents() && payload.spec.numbers == spec.numbers;
  if (fits && payload.length != payload.stored.volume() * payload.site_bytes()) {
    base::fail(Code::invalid_argument, {.path = path}, "{} bytes cannot hold {} sites of {} bytes", payload.length,
               payload.stored.volume(), payload.site_bytes());
  }
  std::uint64_t end = 0;
  if (__builtin_add_overflow(payload.offset, payload.length, &end) || end > largest_end) {
    base::fail(Code::too_large, {.path = path}, "{} bytes from byte {} on exceed the largest file size", payload.length,
               payload.offset);
  }
  if (fits) return;
  base::fail(Code::invalid_argument, {.path = path},
             "the place in the file is for {} with {} numbers per site, the field is {} with {}",
             to_string(payload.stored.extents), payload.spec.numbers, to_string(grid.extents()), spec.numbers);
}

// Used for both directions; `field` is resolved.
template <class AnyField>
Report move_sites(Storage& storage, const Payload& payload, const Grid& grid, const AnyField& field,
                  const SiteOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const base::Stopwatch watch;
  comm::require_same(comm, [&] {
    std::vector<comm::StatedArgument> arguments = options::stated(options.route);
    arguments.push_back({"the place of the sites", describe(payload, options)});
    return arguments;
  });
  std::optional<io::StorageFile> file;
  const auto sites = comm::agree(comm, [&] {
    file.emplace(storage);
    require_fit(payload, grid, field.spec, file->path());
    io::SitePlan plan{.path = file->path(),
                      .payload = payload,
                      .region = payload.stored,
                      .unit = storage::resolve(file->path()).unit(file->path()),
                      .route = options.route,
                      .block_bytes = options.block_bytes};
    if (options.checksum) plan.sums.push_back({SumKind::scidac, SumOf::field});
    // The caller's file may be an MPI file, which need not support other threads.
    plan.route.threads = 1;
    return std::make_unique<io::SiteTransfer>(grid, std::move(plan), field);
  });
  sites->choose_route();
  sites->start(&*file);
  sites->run();
  Report report = comm::agree_alike(comm, [&] {
    Report result;
    sites->describe(result);
    result.path = file->path();
    return result;
  });
  report.seconds.total = comm::max_over_ranks(comm, watch.seconds());
  return report;
}

}  // namespace

Report write_sites(Storage& storage, const Payload& payload, const Grid& grid, const Field& field,
                   const SiteOptions& options) {
  const Field local = comm::agree(grid.communicator().engine(), [&] { return lattice::resolve_field(grid, field); });
  return move_sites(storage, payload, grid, local, options);
}

Report read_sites(Storage& storage, const Payload& payload, const Grid& grid, const MutableField& field,
                  const SiteOptions& options) {
  const MutableField local =
      comm::agree(grid.communicator().engine(), [&] { return lattice::resolve_field(grid, field); });
  return move_sites(storage, payload, grid, local, options);
}

}  // namespace lq
