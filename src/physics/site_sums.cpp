// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/site_sums.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "comm/node.hpp"
#include "device/driver.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_order.hpp"

namespace lq::physics {
namespace {

std::string describe(const FieldSpec& spec) {
  return fmt::format("{} field, {} colors, {} links, {} numbers per site, {} precision", name(spec.kind), spec.colors,
                     spec.links, spec.numbers, name(spec.precision));
}

void require_gauge(const Grid& grid, const FieldSpec& spec, std::string_view verb) {
  const int dimensions = grid.extents().size();
  const bool one_link_per_dimension = spec.links == 0 || spec.links == dimensions;
  if (spec.kind == FieldKind::gauge && spec.colors >= 2 && one_link_per_dimension && dimensions >= 2) return;
  base::fail(Code::invalid_argument,
             {.expected = fmt::format("gauge field with {} links", dimensions),
              .found = fmt::format("{} field with {} links", name(spec.kind), spec.links)},
             "cannot {} a {} field of {} colors with {} links per site on the lattice {}; expected a gauge field of "
             "SU(2) or larger with one link for each of 2 or more dimensions",
             verb, name(spec.kind), spec.colors, spec.links, to_string(grid.extents()));
}

enum class Wanted { any, gauge };

Field resolve(const Grid& grid, const Field& field, std::string_view verb, Wanted wanted) {
  Field resolved;
  comm::require_same(ranks_of(grid), [&] {
    if (wanted == Wanted::gauge) require_gauge(grid, field.spec, verb);
    resolved = lattice::resolve_field(grid, field);
    return std::vector<comm::StatedArgument>{{fmt::format("the field to {}", verb), describe(resolved.spec)}};
  });
  return resolved;
}

}  // namespace

comm::Comm& ranks_of(const Grid& grid) { return grid.communicator().engine(); }

Field resolve_any(const Grid& grid, const Field& field, std::string_view verb) {
  return resolve(grid, field, verb, Wanted::any);
}

Field resolve_gauge(const Grid& grid, const Field& field, std::string_view verb) {
  return resolve(grid, field, verb, Wanted::gauge);
}

SiteStream::SiteStream(const Grid& grid, const Field& field)
    : grid_(grid),
      field_(field),
      natural_(lattice::resolve_order({}, grid.extents().size())),
      order_(lattice::resolve_order(field.order, grid.extents().size())),
      scratch_(field.spec.precision == Precision::double_ ? 0 : field.spec.numbers) {
  const auto site_bytes = static_cast<std::size_t>(field.spec.site_bytes());
  if (!lattice::is_plain(field)) {
    elsewhere_.emplace(field, grid.local_box());
    const std::size_t most = elsewhere_->best_bytes() / site_bytes;
    walk_.emplace(grid.local_box(), natural_, most);
    row_.resize(std::max<std::size_t>(most, 1) * site_bytes);
    return;
  }
  device::DeviceContext context;
  if (const device::Driver* const driver = device::driver_of(field.data, context); driver != nullptr) {
    on_device_.emplace(*driver, context, static_cast<const std::byte*>(field.data), grid.local_volume(), site_bytes);
  }
}

// Doubles in place, single precision through `scratch_`.
std::span<const double> SiteStream::widen(const void* site) {
  if (field_.spec.precision == Precision::double_) return {static_cast<const double*>(site), field_.spec.numbers};
  const float* narrow = static_cast<const float*>(site);
  for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = static_cast<double>(narrow[i]);
  return scratch_;
}

void SiteStream::for_each_in_rows(std::uint64_t begin, std::uint64_t end, const TakeSite& take) {
  walk_->walk(begin, end - begin, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    elsewhere_->take(parts, row_.data());
    for (std::uint64_t k = 0; k < sites; ++k) {
      take(begin + skip + k, widen(row_.data() + k * field_.spec.site_bytes()));
    }
  });
}

void SiteStream::for_each(std::uint64_t begin, std::uint64_t end, const TakeSite& take) {
  if (begin == end) return;
  if (elsewhere_) return for_each_in_rows(begin, end, take);
  const Box& box = grid_.local_box();
  Coord x = lattice::site_at(begin, box, natural_);
  for (std::uint64_t site = begin; site < end; ++site, lattice::advance(x, box, natural_)) {
    const std::byte* const memory =
        static_cast<const std::byte*>(field_.data) + lattice::site_number(x, box, order_) * field_.spec.site_bytes();
    take(site, widen(on_device_ ? on_device_->take(memory, 0, 1).at : memory));
  }
}

// True for contiguous doubles in natural order.
bool SiteStream::is_in_place() const noexcept {
  return !elsewhere_ && !on_device_ && order_ == natural_ && field_.spec.precision == Precision::double_;
}

void SiteStream::for_each_run(std::uint64_t begin, std::uint64_t end, std::size_t most, const TakeSite& take) {
  const std::size_t numbers = field_.spec.numbers;
  if (is_in_place()) {
    const auto* const all = static_cast<const double*>(field_.data);
    for (std::uint64_t site = begin; site < end; site += most) {
      take(site, {all + site * numbers, std::min<std::uint64_t>(most, end - site) * numbers});
    }
    return;
  }
  run_.reserve(most * numbers);
  for_each(begin, end, [&](std::uint64_t site, std::span<const double> u) {
    run_.insert(run_.end(), u.begin(), u.end());
    if (run_.size() < most * numbers && site + 1 < end) return;
    take(site + 1 - run_.size() / numbers, run_);
    run_.clear();
  });
}

int threads_for(const Grid& grid, const Field& field, int wanted) {
  const std::uint64_t bytes = grid.volume() * field.spec.numbers * sizeof(double);
  const int threads = comm::thread_count(grid.communicator().engine(), wanted, bytes);
  return lattice::has_function(field) ? 1 : threads;
}

}  // namespace lq::physics
