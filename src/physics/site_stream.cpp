// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/site_stream.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "device/sites.hpp"
#include "lattice/site_order.hpp"
#include "layouts/rows.hpp"

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
  const device::Driver* const driver = device::driver_of(field.data, home);
  if (driver == nullptr) return std::nullopt;
  return std::optional<device::SitesOut>(std::in_place, *driver, home, static_cast<const std::byte*>(field.data),
                                         grid.local_volume(), static_cast<std::size_t>(field.spec.site_bytes()));
}

// Of a field that is not plain: by parts of rows along x.
void for_each_site_by_rows(const Grid& grid, const Field& field, std::uint64_t begin, std::uint64_t end,
                           const TakeSite& take) {
  constexpr std::uint64_t most = 32;
  const Box& box = grid.local_box();
  const SiteOrder natural = lattice::resolve_order({}, grid.extents().size());
  const auto bytes = static_cast<std::size_t>(field.spec.site_bytes());
  std::vector<double> scratch(field.spec.numbers);
  std::vector<std::byte> row(most * bytes);
  layouts::RowsOut rows(field, box);
  for (std::uint64_t site = begin; site < end;) {
    const Coord x = lattice::site_at(site, box, natural);
    const auto in_row = static_cast<std::uint64_t>(box.lower[0] + box.extents[0] - x[0]);
    const std::uint64_t sites = std::min({in_row, end - site, most});
    rows.take(layouts::RowPart{x, 0, sites}, row.data());
    for (std::uint64_t k = 0; k < sites; ++k) take(site + k, widen(field.spec, row.data() + k * bytes, scratch));
    site += sites;
  }
}

}  // namespace

void for_each_site(const Grid& grid, const Field& field, const TakeSite& take) {
  for_each_site(grid, field, 0, grid.local_volume(), take);
}

void for_each_site(const Grid& grid, const Field& field, std::uint64_t begin, std::uint64_t end, const TakeSite& take) {
  if (begin == end) return;
  if (!layouts::is_plain(field)) return for_each_site_by_rows(grid, field, begin, end, take);
  const Box& box = grid.local_box();
  const SiteOrder natural = lattice::resolve_order({}, grid.extents().size());
  const SiteOrder order = lattice::resolve_order(field.order, grid.extents().size());
  std::vector<double> scratch(field.spec.numbers);
  std::optional<device::SitesOut> on_device = device_sites(grid, field);
  Coord x = lattice::site_at(begin, box, natural);
  for (std::uint64_t site = begin; site < end; ++site, lattice::advance(x, box, natural)) {
    const std::byte* const memory =
        static_cast<const std::byte*>(field.data) + lattice::site_number(x, box, order) * field.spec.site_bytes();
    take(site, widen(field.spec, on_device ? on_device->take(memory, 0, 1).at : memory, scratch));
  }
}

}  // namespace lq::physics
