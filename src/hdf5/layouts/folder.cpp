// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/layouts/folder.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::uint64_t most_colors = 1024;
constexpr std::uint64_t most_links = 1024;
constexpr std::uint64_t most_numbers = std::uint64_t{1} << 32;

bool are_colors(std::uint64_t row, std::uint64_t column) { return row == column && row >= 2 && row <= most_colors; }
bool are_spins(std::uint64_t spins) { return spins >= 1 && spins <= 64; }

// Belongs to a dimension scale, which xarray and netCDF make beside a dataset.
constexpr std::string_view of_scales[] = {"CLASS",          "NAME",          "DIMENSION_LIST",      "DIMENSION_LABELS",
                                          "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties",
                                          "_FillValue"};

}  // namespace

std::vector<std::uint64_t> Numbers::behind(std::size_t rank) const {
  return {extents.begin() + static_cast<std::ptrdiff_t>(rank), extents.end()};
}

std::vector<std::uint64_t> Numbers::lattice(std::size_t rank) const {
  return {extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(rank)};
}

std::optional<Numbers> numbers_of(const Dataset& data) {
  const Stripped stripped = strip(data.type);
  if (data.is_null || !is_number(*stripped.base)) return {};
  Numbers numbers;
  numbers.extents = data.extents;
  numbers.space_rank = data.extents.size();
  numbers.extents.insert(numbers.extents.end(), stripped.extents.begin(), stripped.extents.end());
  numbers.is_complex = stripped.base->kind == TypeClass::complex;
  numbers.order = stripped.base->order;
  const std::uint64_t bytes = stripped.base->bytes / (numbers.is_complex ? 2 : 1);
  numbers.precision = bytes == 4 ? Precision::single : Precision::double_;
  return numbers;
}

std::string_view Folder::last_name() const noexcept { return std::string_view(path).substr(path.rfind('/') + 1); }

Member* Folder::member(std::string_view name) noexcept {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

std::optional<FieldSpec> matrix_site(const std::vector<std::uint64_t>& site, Precision precision) {
  if (site.size() != 2 || !are_colors(site[0], site[1])) return {};
  return generic_spec(precision, 2 * site[0] * site[1], true);
}

std::optional<FieldSpec> gauge_site(const std::vector<std::uint64_t>& site, Precision precision) {
  if (site.size() != 3 || site[0] < 1 || site[0] > most_links || !are_colors(site[1], site[2])) return {};
  return gauge_spec(precision, static_cast<int>(site[1]), static_cast<int>(site[0]));
}

std::optional<FieldSpec> spinor_site(const std::vector<std::uint64_t>& site, Precision precision) {
  if (site.size() != 2 || !are_spins(site[0]) || !are_colors(site[1], site[1])) return {};
  return spinor_spec(precision, static_cast<int>(site[1]), static_cast<int>(site[0]));
}

std::optional<FieldSpec> propagator_site(const std::vector<std::uint64_t>& site, Precision precision) {
  if (site.size() != 4 || site[0] != site[1] || !are_spins(site[0]) || !are_colors(site[2], site[3])) return {};
  return propagator_spec(precision, static_cast<int>(site[2]), static_cast<int>(site[0]));
}

std::optional<FieldSpec> generic_site(const std::vector<std::uint64_t>& site, bool is_complex, Precision precision) {
  std::uint64_t numbers = is_complex ? 2 : 1;
  for (const std::uint64_t extent : site) numbers = base::checked_multiply(numbers, extent).value_or(UINT64_MAX);
  if (numbers == 0 || numbers > most_numbers) return {};
  return generic_spec(precision, numbers, is_complex);
}

Metadata metadata_of(const Attributes& attributes, std::span<const std::string_view> of_layout) {
  Metadata metadata;
  for (const auto& [name, value] : attributes) {
    if (std::ranges::find(of_layout, name) != of_layout.end()) continue;
    if (std::ranges::find(of_scales, name) != std::end(of_scales)) continue;
    if (auto text = shown(value)) metadata.emplace_back(name, std::move(*text));
  }
  return metadata;
}

}  // namespace lq::hdf5
