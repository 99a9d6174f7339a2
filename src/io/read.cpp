// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See read.hpp.
#include "io/read.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "grid/local_field.hpp"
#include "io/scan.hpp"
#include "lattice/site_order.hpp"

namespace lq {

namespace io {

namespace {

Coord shifted(const Coord& x, const Coord& by, std::int64_t sign) {
  Coord result = x;
  for (int d = 0; d < x.size(); ++d) result[d] += sign * by[d];
  return result;
}

void require_same_request(comm::Comm& comm, const ReadOptions& options, const FieldSpec& spec) {
  const std::string region =
      options.region ? to_string(options.region->lower) + "+" + to_string(options.region->extents) : "whole";
  const std::array<comm::Stated, 5> arguments = {
      {{"the option field", options.field},
       {"the option index", std::to_string(options.index)},
       {"the option region", region},
       {"the option verify", options.verify ? "yes" : "no"},
       {"the kind of field", fmt::format("{}, {} colors, {} spins, {} links, {} numbers per site", name(spec.kind),
                                         spec.colors, spec.spins, spec.links, spec.numbers)}}};
  comm::require_same(comm, arguments);
}

// The sites to read, in coordinates of the file's lattice.
Box region_of(const std::string& path, const FieldEntry& entry, const ReadOptions& options, const Grid& grid) {
  const Payload& payload = entry.payload;
  const Box region = options.region.value_or(payload.stored);
  const bool fits = region.lower.size() == payload.extents.size() && region.extents.size() == payload.extents.size() &&
                    intersect(region, payload.stored) == region;
  if (!fits || region.empty()) {
    throw Error(
        Code::invalid_argument,
        fmt::format(
            "{}: the region from {} with extents {} is not part of the {} sites of {} that the file stores from {}",
            path, to_string(region.lower), to_string(region.extents), to_string(payload.stored.extents),
            to_string(payload.extents), to_string(payload.stored.lower)),
        {.path = path, .record = entry.name});
  }
  if (grid.extents() != region.extents) {
    throw Error(
        Code::invalid_argument,
        fmt::format("{}: the {} to read is {}, but the grid is {}; make the grid of the same extents", path,
                    options.region ? "region" : "lattice", to_string(region.extents), to_string(grid.extents())),
        {.path = path,
         .record = entry.name,
         .expected = to_string(region.extents),
         .found = to_string(grid.extents())});
  }
  return region;
}

void require_same_sites(const std::string& path, const FieldEntry& entry, const FieldSpec& wanted) {
  const FieldSpec& stored = entry.payload.spec;
  const bool kinds_agree =
      wanted.kind == stored.kind || wanted.kind == FieldKind::generic || stored.kind == FieldKind::generic;
  if (kinds_agree && wanted.numbers == stored.numbers) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("{}: \"{}\" is a {} field with {} numbers per site, but a {} field with {} was asked for; check "
                  "colors, spins and links",
                  path, entry.name, name(stored.kind), stored.numbers, name(wanted.kind), wanted.numbers),
      {.path = path,
       .record = entry.name,
       .offset = entry.payload.offset,
       .expected = fmt::format("{} numbers", wanted.numbers),
       .found = fmt::format("{} numbers", stored.numbers)});
}

// Whole slices of the slowest dimension, first .. last-1, or nothing when the box cuts slices.
struct Slices {
  std::size_t first = 0, last = 0;
};
Slices whole_slices(const Payload& payload, const Box& box) {
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (box.extents[order[i]] != payload.stored.extents[order[i]]) return {};
  }
  const int slowest = order.back();
  const auto first = static_cast<std::size_t>(box.lower[slowest] - payload.stored.lower[slowest]);
  return {first, first + static_cast<std::size_t>(box.extents[slowest])};
}

// Reads this rank's part of the region.
void read_local(transport::Transport& transport, const std::string& path, const FieldEntry& entry, const Box& region,
                const Grid& grid, const MutableField& field, const pump::PumpOptions& how, pump::Tally& tally) {
  if (grid.local_volume() == 0) return;
  const Payload& payload = entry.payload;
  Box mine = grid.local_box();
  mine.lower = shifted(mine.lower, region.lower, 1);
  lattice::Rows rows({payload.extents, payload.stored, payload.order, mine, field.order, mine});
  MutableField target = field;
  if (field.store) {
    // The application counts sites from the corner of its own grid.
    target.store = [&](const Coord& x, const void* site) { field.store(shifted(x, region.lower, -1), site); };
  }
  const std::unique_ptr<transport::File> file = transport.open_read(path);
  pump::pump_in(*file, payload, rows, target, how, tally);
}

}  // namespace

ChecksumStatus judge(const FieldEntry& entry, const pump::Tally& tally, const Box& moved) {
  if (moved == entry.payload.stored && entry.checksum) {
    return *entry.checksum == tally.sums.total() ? ChecksumStatus::ok : ChecksumStatus::mismatch;
  }
  const Slices slices = whole_slices(entry.payload, moved);
  const std::vector<Checksum>& found = tally.sums.slices();
  if (slices.last > slices.first && entry.slices.size() == found.size() && slices.last <= found.size()) {
    for (std::size_t i = slices.first; i < slices.last; ++i) {
      if (entry.slices[i] != found[i]) return ChecksumStatus::mismatch;
    }
    return ChecksumStatus::ok;
  }
  return entry.checksum ? ChecksumStatus::unchecked : ChecksumStatus::absent;
}

Error mismatch_error(const Catalog& catalog, const FieldEntry& entry, const pump::Tally& tally) {
  const std::string record = entry.record < catalog.records.size() ? catalog.records[entry.record].type : entry.name;
  const std::string expected = entry.checksum ? to_string(*entry.checksum) : "the checksums of its slices";
  const std::string found = to_string(tally.sums.total());
  const std::string zeros =
      tally.zeros.sites == 0
          ? std::string{}
          : fmt::format("; {} sites between bytes {} and {} hold only zeros, as lost writes leave them",
                        tally.zeros.sites, tally.zeros.first_offset, tally.zeros.last_offset);
  return {
      Code::checksum_mismatch,
      fmt::format("{}: \"{}\" at byte {}: the data have checksum {}, the file states {}{}; `lq verify` tells where the "
                  "damage is, take a good copy if there is one",
                  catalog.path, record, entry.payload.offset, found, expected, zeros),
      {.path = catalog.path, .record = record, .offset = entry.payload.offset, .expected = expected, .found = found}};
}

Report read_entry(transport::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                  const MutableField& local, const ReadOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const std::string& path = catalog.path;
  const Box region = comm::agree(comm, [&] {
    require_same_sites(path, entry, local.spec);
    return region_of(path, entry, options, grid);
  });

  pump::Tally tally(entry.payload);
  comm::agree(comm, [&] {
    read_local(transport, path, entry, region, grid, local,
               {.block_bytes = options.block_bytes, .checksum = options.verify}, tally);
  });
  const base::Stopwatch exchange;
  tally.reduce(comm);
  const double exchange_seconds = comm::max_over_ranks(comm, exchange.seconds());

  Report report;
  report.path = path;
  report.format = catalog.format;
  report.field = entry.name;
  report.spec = entry.payload.spec;
  report.extents = region.extents;
  report.ranks = grid.size();
  report.bytes = tally.bytes;
  report.checksum = tally.sums.total();
  report.stored = entry.checksum;
  report.status = options.verify ? judge(entry, tally, region) : ChecksumStatus::unchecked;
  report.zeros = tally.zeros;
  report.seconds = {.pack = tally.pack_seconds,
                    .exchange = exchange_seconds,
                    .storage = tally.storage_seconds,
                    .sync = 0,
                    .total = 0};
  if (report.status == ChecksumStatus::mismatch) throw mismatch_error(catalog, entry, tally);
  return report;
}

Report read_field(transport::Transport& transport, const std::string& path, const Grid& grid, const MutableField& field,
                  const ReadOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const base::Stopwatch watch;
  const MutableField local = comm::agree(comm, [&] { return grid::resolve_field(grid, field); });
  require_same_request(comm, options, local.spec);
  const Catalog catalog = scan_file(transport, path, grid.communicator(), options.limits);
  const FieldEntry& entry = comm::agree(comm, [&] {
    catalog.require_sound();
    return std::cref(catalog.field(options.field, options.index));
  });
  Report report = read_entry(transport, catalog, entry, grid, local, options);
  report.seconds.total = comm::max_over_ranks(comm, watch.seconds());
  return report;
}

}  // namespace io

Report read(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options) {
  return io::read_field(transport::posix(), path, grid, field, options);
}

}  // namespace lq
