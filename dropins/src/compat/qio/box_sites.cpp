// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/record_sites.hpp"

#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "io/sites.hpp"
#include "lattice/site_order.hpp"

namespace lq::compat::qio {
namespace {

// Sites in pieces of numbers, written by several nodes only where these see each other's bytes.
bool is_plain(const SitePlace& place, const SiteCall& call) {
  return (call.word_bytes == 4 || call.word_bytes == 8) && call.site_bytes > 0 &&
         call.site_bytes % static_cast<std::uint64_t>(call.word_bytes) == 0 && !place.unit.single_owner;
}

io::SitePlan plan_of(const Boxes& boxes, const SitePlace& place, const SiteCall& call) {
  const auto word = static_cast<std::uint64_t>(call.word_bytes);
  Payload payload;
  payload.offset = place.offset;
  payload.length = place.sites * call.site_bytes;
  payload.spec = generic_spec(word == 8 ? Precision::double_ : Precision::single, call.site_bytes / word, false);
  payload.extents = boxes.lattice;
  payload.stored = boxes.region;
  return {.path = place.file->path(),
          .payload = payload,
          .region = payload.stored,
          .unit = place.unit,
          .sums = {{SumKind::scidac, SumOf::field}}};
}

// A row of the file, which goes along the fastest dimension, as the program's function has its sites.
template <class Byte>
auto row_by_site(const NodeSites& sites, const Box& own, const SiteCall& call) {
  return
      [&, order = lattice::resolve_order({}, own.lower.size())](const Coord& x, int, std::uint64_t count, Byte* row) {
        char* site = static_cast<char*>(const_cast<void*>(static_cast<const void*>(row)));
        const std::uint64_t first = lattice::site_number(x, own, order);
        for (std::uint64_t k = 0; k < count; ++k, site += call.site_bytes) {
          call.function(site, sites.index(first + k), call.count, call.arg);
        }
      };
}

// Collective, agreed. AnyField: Field to write, MutableField to read; it calls the program's function.
template <class AnyField>
Checksum move_boxes(const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                    std::exception_ptr& failure) {
  if (!sites.boxes->grid) return {};
  const Grid& grid = *sites.boxes->grid;
  const auto transfer = comm::agree(grid.communicator().engine(), [&] {
    io::SitePlan plan = plan_of(*sites.boxes, place, call);
    AnyField field;
    field.spec = plan.payload.spec;
    if constexpr (std::is_same_v<AnyField, Field>) {
      field.fetch_rows = row_by_site<void>(*sites.order, sites.boxes->own, call);
    } else {
      field.store_rows = row_by_site<const void>(*sites.order, sites.boxes->own, call);
    }
    return std::make_unique<io::SiteTransfer>(grid, std::move(plan), field);
  });
  transfer->choose_route();
  transfer->start(place.file);
  base::keep_failure(failure, [&] { transfer->move(); });
  return transfer->stats().sums.total();
}

// The same whichever way the sites go.
template <class AnyField>
Checksum move_sites(comm::Comm& nodes, const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                    std::exception_ptr& failure) {
  if (sites.boxes && sites.boxes->region.volume() == place.sites && is_plain(place, call))
    return move_boxes<AnyField>(sites, place, call, failure);
  SiteExchange exchange(nodes, *sites.order, place, call);
  failure = std::is_same_v<AnyField, Field> ? exchange.write() : exchange.read();
  return exchange.checksum();
}

}  // namespace

Checksum sites_to_file(comm::Comm& nodes, const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                       std::exception_ptr& failure) {
  return move_sites<Field>(nodes, sites, place, call, failure);
}

Checksum sites_from_file(comm::Comm& nodes, const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                         std::exception_ptr& failure) {
  return move_sites<MutableField>(nodes, sites, place, call, failure);
}

}  // namespace lq::compat::qio
