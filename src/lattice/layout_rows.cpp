// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/layout_rows.hpp"

namespace lq::lattice {
namespace {

// Calls work(x, number of the site) for each site of the parts.
template <class Work>
void for_each_site(std::span<const RowPart> parts, const Work& work) {
  std::uint64_t number = 0;
  for (const RowPart& part : parts) {
    Coord at = part.x;
    for (std::uint64_t k = 0; k < part.sites; ++k, ++at[part.axis]) work(at, number++);
  }
}

// Calls work(part, number of its first site) for each part.
template <class Work>
void for_each_part(std::span<const RowPart> parts, const Work& work) {
  std::uint64_t number = 0;
  for (const RowPart& part : parts) {
    work(part, number);
    number += part.sites;
  }
}

// A field behind functions has none.
template <class AnyField>
std::optional<DescribedSites> sites_of(const AnyField& field, const Box& box, Way way, std::size_t beyond_caches) {
  if (has_function(field) || box.volume() == 0) return std::nullopt;
  return DescribedSites(field.memory, field.spec, box, field.data, way, beyond_caches);
}

}  // namespace

RowsOut::RowsOut(const Field& field, const Box& box) : field_(field), sites_(sites_of(field, box, Way::take, 0)) {}

std::span<base::PrefetchList> RowsOut::aim_at(std::span<const RowPart> parts) {
  parts_ = parts;
  return sites_ ? sites_->aim_at(parts) : std::span<base::PrefetchList>();
}

void RowsOut::take(std::byte* out) {
  const auto site_bytes = static_cast<std::size_t>(field_.spec.site_bytes());
  if (field_.fetch_rows) {
    return for_each_part(parts_, [&](const RowPart& part, std::uint64_t first) {
      field_.fetch_rows(part.x, part.axis, part.sites, out + first * site_bytes);
    });
  }
  if (field_.fetch) {
    return for_each_site(parts_, [&](const Coord& x, std::uint64_t k) { field_.fetch(x, out + k * site_bytes); });
  }
  sites_->take(out);
}

RowsIn::RowsIn(const MutableField& field, const Box& box, std::size_t beyond_caches)
    : field_(field), sites_(sites_of(field, box, Way::give, beyond_caches)) {}

std::span<base::PrefetchList> RowsIn::aim_at(std::span<const RowPart> parts) {
  parts_ = parts;
  return sites_ ? sites_->aim_at(parts) : std::span<base::PrefetchList>();
}

void RowsIn::give(const std::byte* in) {
  const auto site_bytes = static_cast<std::size_t>(field_.spec.site_bytes());
  if (field_.store_rows) {
    return for_each_part(parts_, [&](const RowPart& part, std::uint64_t first) {
      field_.store_rows(part.x, part.axis, part.sites, in + first * site_bytes);
    });
  }
  if (field_.store) {
    return for_each_site(parts_, [&](const Coord& x, std::uint64_t k) { field_.store(x, in + k * site_bytes); });
  }
  sites_->give(in);
}

namespace {

// Number i of an SU(3) matrix stored by columns is number by_rows(i) of the matrix by rows.
constexpr std::uint64_t by_rows(std::uint64_t i) noexcept {
  const std::uint64_t element = i / 2;
  return 2 * (element % 3 * 3 + element / 3) + i % 2;
}

}  // namespace

std::vector<device::NumberPlace> numbers_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box,
                                            const void* data) {
  const std::vector<std::byte*> arrays = arrays_of(layout, spec, box, data).begin;
  const SitePlaces rule(layout, spec, box);
  std::vector<device::NumberPlace> numbers(static_cast<std::size_t>(spec.numbers));
  for (const NumberRun& number_run : rule.number_runs()) {
    const auto array = reinterpret_cast<std::intptr_t>(arrays[static_cast<std::size_t>(number_run.array)]);
    for (std::uint64_t i = 0; i < number_run.length; ++i) {
      const std::uint64_t number = number_run.number + (number_run.is_transposed ? by_rows(i) : i);
      const std::int64_t place = number_run.place + static_cast<std::int64_t>(i);
      numbers[static_cast<std::size_t>(number)] = {array + place * static_cast<std::int64_t>(spec.number_bytes()),
                                                   number_run.group};
    }
  }
  return numbers;
}

}  // namespace lq::lattice
