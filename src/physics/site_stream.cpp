// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/site_stream.hpp"

#include <cstring>
#include <optional>
#include <vector>

#include "device/sites.hpp"
#include "lattice/site_order.hpp"

namespace lq::physics {
namespace {

// Doubles where they lie, single precision by way of `scratch`.
std::span<const double> widen(const FieldSpec& spec, const void* site, std::vector<double>& scratch) {
  if (spec.precision == Precision::double_) return {static_cast<const double*>(site), spec.numbers};
  const float* narrow = static_cast<const float*>(site);
  for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = static_cast<double>(narrow[i]);
  return scratch;
}

// Where the memory is a GPU's.
std::optional<device::SitesOut> device_sites(const Grid& grid, const Field& field) {
  device::Home home;
  const device::Driver* const driver = field.fetch ? nullptr : device::driver_of(field.data, home);
  if (driver == nullptr) return std::nullopt;
  return std::optional<device::SitesOut>(std::in_place, *driver, home, static_cast<const std::byte*>(field.data),
                                         grid.local_volume(), static_cast<std::size_t>(field.spec.site_bytes()));
}

}  // namespace

void for_each_site(const Grid& grid, const Field& field, const TakeSite& take) {
  for_each_site(grid, field, 0, grid.local_volume(), take);
}

void for_each_site(const Grid& grid, const Field& field, std::uint64_t begin, std::uint64_t end, const TakeSite& take) {
  if (begin == end) return;
  const Box& box = grid.local_box();
  const SiteOrder natural = lattice::resolve_order({}, grid.extents().size());
  const SiteOrder order = lattice::resolve_order(field.order, grid.extents().size());
  std::vector<double> scratch(field.spec.numbers);
  std::vector<double> fetched(field.fetch ? field.spec.numbers : 0);
  std::optional<device::SitesOut> on_device = device_sites(grid, field);
  Coord x = lattice::site_at(begin, box, natural);
  for (std::uint64_t site = begin; site < end; ++site, lattice::advance(x, box, natural)) {
    const void* numbers = fetched.data();
    if (field.fetch) {
      field.fetch(x, fetched.data());
    } else {
      const std::byte* const memory =
          static_cast<const std::byte*>(field.data) + lattice::site_number(x, box, order) * field.spec.site_bytes();
      numbers = on_device ? on_device->take(memory, 0, 1).at : memory;
    }
    take(site, widen(field.spec, numbers, scratch));
  }
}

}  // namespace lq::physics
