// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/local_field.hpp"

#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "device/driver.hpp"
#include "device/sites.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/row_walk.hpp"
#include "lattice/site_order.hpp"

namespace lq::lattice {

namespace {

// The constructors of specs check their arguments; members that were set directly are checked here in the same way.
std::uint64_t numbers_of(const FieldSpec& spec) {
  switch (spec.kind) {
    case FieldKind::gauge:
      return gauge_spec(spec.precision, spec.colors, spec.links).numbers;
    case FieldKind::spinor:
      return spinor_spec(spec.precision, spec.colors, spec.spins).numbers;
    case FieldKind::propagator:
      return propagator_spec(spec.precision, spec.colors, spec.spins).numbers;
    case FieldKind::generic:
      break;
  }
  return generic_spec(spec.precision, spec.numbers, spec.is_complex).numbers;
}

[[noreturn]] void refuse_memory(const Grid& grid, const FieldSpec& spec, std::uint64_t available, std::uint64_t needed,
                                const char* remedy) {
  base::fail(Code::invalid_argument,
             {.expected = fmt::format("{} numbers", needed), .found = fmt::format("{} numbers", available)},
             "the {} field has memory for {} numbers, but the {} local sites of {} with {} numbers each need {}; {}",
             name(spec.kind), available, grid.local_volume(), to_string(grid.extents()), spec.numbers, needed, remedy);
}

// Described memory has the size that the description states, in each of its arrays.
template <class AnyField>
void require_described_memory(const Grid& grid, const AnyField& field) {
  if (!field.order.empty()) {
    throw Error(Code::invalid_argument,
                "both an order of sites and a description of the memory are given; state the order in the description "
                "(order=)");
  }
  const lattice::Arrays arrays = lattice::arrays_of(field.memory, field.spec, grid.local_box().extents, field.data);
  if (field.available < arrays.numbers || field.data == nullptr) {
    refuse_memory(grid, field.spec, field.data == nullptr ? 0 : field.available, arrays.numbers,
                  "as the description of the memory says, in each of its arrays");
  }
}

template <class AnyField>
void require_memory(const Grid& grid, const AnyField& field) {
  lattice::resolve_order(field.order, grid.extents().size());
  if (lattice::has_function(field) || grid.local_volume() == 0) return;
  if (!lattice::is_plain(field)) return require_described_memory(grid, field);
  const std::uint64_t needed =
      base::multiply_or_throw(grid.local_volume(), field.spec.numbers, "the numbers of the local field");
  if (field.data == nullptr || field.available < needed) {
    refuse_memory(grid, field.spec, field.data == nullptr ? 0 : field.available, needed,
                  "size it by the grid's local_volume()");
  }
}

// Parities refer to global coordinates; from here on they are relative to the box.
int parity_of(const Coord& x) {
  std::int64_t sum = 0;
  for (const std::int64_t coordinate : x) sum += coordinate;
  return static_cast<int>(sum & 1);
}

template <class AnyField>
AnyField resolve_any(const Grid& grid, const AnyField& field) {
  AnyField resolved = field;
  resolved.spec = resolve_spec(field.spec, grid.extents().size());
  resolved.memory.corner_parity = parity_of(grid.local_box().lower);
  require_memory(grid, resolved);
  return resolved;
}

// Calls work(x, number in the user's memory, number with x fastest).
template <class Work>
void for_each_site(const Grid& grid, const SiteOrder& user_order, Work&& work) {
  const int dimensions = grid.extents().size();
  const SiteOrder natural = lattice::resolve_order({}, dimensions);
  const SiteOrder order = lattice::resolve_order(user_order, dimensions);
  const Box& box = grid.local_box();
  for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
    const Coord x = lattice::site_at(i, box, order);
    work(x, i, order == natural ? i : lattice::site_number(x, box, natural));
  }
}

// The rank's sites in natural order: work(parts, number of the first).
template <class Work>
void for_each_row(const Grid& grid, std::uint64_t most, Work&& work) {
  const Box& box = grid.local_box();
  lattice::RowWalk(box, lattice::resolve_order({}, grid.extents().size()), most)
      .walk(0, box.volume(), [&](const auto& parts, std::uint64_t first, std::uint64_t) { work(parts, first); });
}

}  // namespace

FieldSpec resolve_spec(FieldSpec spec, int dimensions) {
  if (spec.kind == FieldKind::gauge && spec.links == 0) spec.links = dimensions;
  const std::uint64_t numbers = numbers_of(spec);
  if (spec.numbers != 0 && spec.numbers != numbers) {
    base::fail(Code::invalid_argument,
               {.expected = fmt::format("{} numbers", numbers), .found = fmt::format("{} numbers", spec.numbers)},
               "a {} field of {} colors, {} spins and {} links per site has {} numbers per site, not {}",
               name(spec.kind), spec.colors, spec.spins, spec.links, numbers, spec.numbers);
  }
  spec.numbers = numbers;
  return spec;
}

Field resolve_field(const Grid& grid, const Field& field) { return resolve_any(grid, field); }

MutableField resolve_field(const Grid& grid, const MutableField& field) { return resolve_any(grid, field); }

void take_sites(const Grid& grid, const Field& field, std::byte* sites) {
  const std::uint64_t bytes = field.spec.site_bytes();
  if (!lattice::is_plain(field)) {
    lattice::RowsOut rows(field, grid.local_box());
    return for_each_row(grid, rows.best_bytes() / bytes,
                        [&](const auto& parts, std::uint64_t first) { rows.take(parts, sites + first * bytes); });
  }
  device::DeviceContext context;
  std::optional<device::SitesOut> on_device;
  if (const device::Driver* const driver = device::driver_of(field.data, context)) {
    on_device.emplace(*driver, context, static_cast<const std::byte*>(field.data), grid.local_volume(),
                      static_cast<std::size_t>(bytes));
  }
  for_each_site(grid, field.order, [&](const Coord&, std::uint64_t i, std::uint64_t n) {
    const std::byte* const memory = static_cast<const std::byte*>(field.data) + i * bytes;
    std::memcpy(sites + n * bytes, on_device ? on_device->take(memory, 0, 1).at : memory, bytes);
  });
}

void give_sites(const Grid& grid, const std::byte* sites, const MutableField& field) {
  const std::uint64_t bytes = field.spec.site_bytes();
  if (!lattice::is_plain(field)) {
    lattice::RowsIn rows(field, grid.local_box());
    for_each_row(grid, rows.best_bytes() / bytes,
                 [&](const auto& parts, std::uint64_t first) { rows.give(parts, sites + first * bytes); });
    return rows.finish();
  }
  device::DeviceContext context;
  const device::Driver* const driver = device::driver_of(field.data, context);
  std::vector<std::byte> ordered(static_cast<std::size_t>(driver != nullptr ? grid.local_volume() * bytes : 0));
  std::byte* const memory = driver != nullptr ? ordered.data() : static_cast<std::byte*>(field.data);
  for_each_site(grid, field.order, [&](const Coord&, std::uint64_t i, std::uint64_t n) {
    std::memcpy(memory + i * bytes, sites + n * bytes, bytes);
  });
  if (driver == nullptr) return;
  device::copy_in(*driver, context, ordered.data(), static_cast<std::byte*>(field.data), grid.local_volume(),
                  static_cast<std::size_t>(bytes));
}

}  // namespace lq::lattice
