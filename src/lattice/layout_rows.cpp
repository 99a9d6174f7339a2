// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/layout_rows.hpp"

namespace lq::lattice {
namespace {

// work(x, number of the site) for each site of the parts.
template <class Work>
void for_each_site(std::span<const RowPart> parts, const Work& work) {
  std::uint64_t number = 0;
  for (const RowPart& part : parts) {
    Coord at = part.x;
    for (std::uint64_t k = 0; k < part.sites; ++k, ++at[part.axis]) work(at, number++);
  }
}

// work(part, number of its first site) for each part.
template <class Work>
void for_each_part(std::span<const RowPart> parts, const Work& work) {
  std::uint64_t number = 0;
  for (const RowPart& part : parts) {
    work(part, number);
    number += part.sites;
  }
}

// Of a field behind functions there are none.
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

}  // namespace lq::lattice
