// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grid/local_field.hpp"

#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "device/sites.hpp"
#include "lattice/site_order.hpp"

namespace lq::grid {

namespace {

// The constructors of specs judge their arguments; members that were set by hand meet the same judgement here.
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

template <class AnyField>
void require_memory(const Grid& grid, const AnyField& field, bool has_function) {
  lattice::resolve_order(field.order, grid.extents().size());
  if (has_function || grid.local_volume() == 0) return;
  const std::uint64_t needed =
      base::multiply_or_throw(grid.local_volume(), field.spec.numbers, "the numbers of the local field");
  if (field.data == nullptr || field.available < needed) {
    throw Error(
        Code::invalid_argument,
        fmt::format("the {} field has memory for {} numbers, but the {} local sites of {} with {} numbers each need "
                    "{}; size it by the grid's local_volume()",
                    name(field.spec.kind), field.data == nullptr ? 0 : field.available, grid.local_volume(),
                    to_string(grid.extents()), field.spec.numbers, needed),
        {.expected = fmt::format("{} numbers", needed), .found = fmt::format("{} numbers", field.available)});
  }
}

// work(x, number in the user's memory, number with x fastest)
template <class Work>
void for_each_site(const Grid& grid, const SiteOrder& user_order, bool has_function, Work&& work) {
  const int dimensions = grid.extents().size();
  const SiteOrder natural = lattice::resolve_order({}, dimensions);
  const SiteOrder order = has_function ? natural : lattice::resolve_order(user_order, dimensions);
  const Box& box = grid.local_box();
  for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
    const Coord x = lattice::site_at(i, box, order);
    work(x, i, order == natural ? i : lattice::site_number(x, box, natural));
  }
}

}  // namespace

FieldSpec resolve_spec(FieldSpec spec, int dimensions) {
  if (spec.kind == FieldKind::gauge && spec.links == 0) spec.links = dimensions;
  const std::uint64_t numbers = numbers_of(spec);
  if (spec.numbers != 0 && spec.numbers != numbers) {
    throw Error(Code::invalid_argument,
                fmt::format("a {} field of {} colors, {} spins and {} links per site has {} numbers per site, not {}",
                            name(spec.kind), spec.colors, spec.spins, spec.links, numbers, spec.numbers),
                {.expected = fmt::format("{} numbers", numbers), .found = fmt::format("{} numbers", spec.numbers)});
  }
  spec.numbers = numbers;
  return spec;
}

Field resolve_field(const Grid& grid, const Field& field) {
  Field resolved = field;
  resolved.spec = resolve_spec(field.spec, grid.extents().size());
  require_memory(grid, resolved, static_cast<bool>(field.fetch));
  return resolved;
}

MutableField resolve_field(const Grid& grid, const MutableField& field) {
  MutableField resolved = field;
  resolved.spec = resolve_spec(field.spec, grid.extents().size());
  require_memory(grid, resolved, static_cast<bool>(field.store));
  return resolved;
}

void take_sites(const Grid& grid, const Field& field, std::byte* sites) {
  const std::uint64_t bytes = field.spec.site_bytes();
  device::Home home;
  std::optional<device::SitesOut> on_device;
  if (const device::Driver* const driver = field.fetch ? nullptr : device::driver_of(field.data, home)) {
    on_device.emplace(*driver, home, static_cast<const std::byte*>(field.data), grid.local_volume(),
                      static_cast<std::size_t>(bytes));
  }
  for_each_site(grid, field.order, static_cast<bool>(field.fetch),
                [&](const Coord& x, std::uint64_t i, std::uint64_t n) {
                  if (field.fetch) return field.fetch(x, sites + n * bytes);
                  const std::byte* const memory = static_cast<const std::byte*>(field.data) + i * bytes;
                  std::memcpy(sites + n * bytes, on_device ? on_device->take(memory, 0, 1).at : memory, bytes);
                });
}

void give_sites(const Grid& grid, const std::byte* sites, const MutableField& field) {
  const std::uint64_t bytes = field.spec.site_bytes();
  device::Home home;
  const device::Driver* const driver = field.store ? nullptr : device::driver_of(field.data, home);
  std::vector<std::byte> ordered(static_cast<std::size_t>(driver != nullptr ? grid.local_volume() * bytes : 0));
  std::byte* const memory = driver != nullptr ? ordered.data() : static_cast<std::byte*>(field.data);
  for_each_site(grid, field.order, static_cast<bool>(field.store),
                [&](const Coord& x, std::uint64_t i, std::uint64_t n) {
                  if (field.store) return field.store(x, sites + n * bytes);
                  std::memcpy(memory + i * bytes, sites + n * bytes, bytes);
                });
  if (driver == nullptr) return;
  device::copy_in(*driver, home, ordered.data(), static_cast<std::byte*>(field.data), grid.local_volume(),
                  static_cast<std::size_t>(bytes));
}

}  // namespace lq::grid
