// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows. A row takes in one file dimension after the other, from the fastest, as long as the next one
// continues the row in the file, in memory and in the rank of the checksum with the same step.
#include "lattice/rows.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

void require_inside(const Box& inner, const Box& outer, const char* what) {
  if (intersect(inner, outer) == inner) return;
  ErrorFacts facts;
  facts.expected = fmt::format("inside {} at {}", to_string(outer.extents), to_string(outer.lower));
  facts.found = fmt::format("{} at {}", to_string(inner.extents), to_string(inner.lower));
  throw Error(Code::invalid_argument, fmt::format("{}: a box of {}, expected {}", what, facts.found, facts.expected),
              facts);
}

// How far apart neighbours in each dimension are in a sequence of the box's sites.
Coord strides_in(const Extents& extents, const SiteOrder& order) {
  Coord strides = extents;
  std::int64_t stride = 1;
  for (const int d : order) {
    strides[d] = stride;
    stride *= extents[d];
  }
  return strides;
}

// Whether a dimension of this stride carries on after so many steps. Unsigned: one step past the last of nearly
// 2^63 sites does not fit a signed integer.
bool continues(std::int64_t stride, std::int64_t sites, std::int64_t step) noexcept {
  return static_cast<std::uint64_t>(stride) == static_cast<std::uint64_t>(sites) * static_cast<std::uint64_t>(step);
}

}  // namespace

Rows::Rows(const RowPlan& plan) : plan_(plan) {
  const int dimensions = plan.extents.size();
  plan_.file_order = resolve_order(plan.file_order, dimensions);
  plan_.memory_order = resolve_order(plan.memory_order, dimensions);
  lq::volume(plan.extents);  // products of extents fit 63 bits from here on
  lq::volume(plan.memory.extents);
  if (!plan.stored.empty()) require_inside(plan.stored, whole(plan.extents), "sites stored in the file");
  if (!plan.wanted.empty()) {
    require_inside(plan.wanted, plan.stored, "sites wanted from the file");
    require_inside(plan.wanted, plan.memory, "sites wanted in memory");
    merge_dimensions();
  }
  restart();
}

void Rows::merge_dimensions() {
  const Coord file = strides_in(plan_.stored.extents, plan_.file_order);
  const Coord memory = strides_in(plan_.memory.extents, plan_.memory_order);
  const Coord rank = strides_in(plan_.extents, resolve_order({}, plan_.extents.size()));
  std::int64_t sites = 1;
  for (const int d : plan_.file_order) {
    if (const std::int64_t extent = plan_.wanted.extents[d]; extent > 1) {
      // The first dimension of more than one site sets the steps, which the others must continue.
      const std::int64_t memory_step = sites == 1 ? memory[d] : memory_stride_;
      const std::int64_t rank_step = sites == 1 ? rank[d] : static_cast<std::int64_t>(rank_stride_);
      if (file[d] != sites || !continues(memory[d], sites, memory_step) || !continues(rank[d], sites, rank_step)) break;
      memory_stride_ = memory_step;
      rank_stride_ = static_cast<std::uint64_t>(rank_step);
      sites *= extent;
    }
    ++merged_;
  }
  row_sites_ = static_cast<std::uint64_t>(sites);
}

bool Rows::next(Row& row) {
  if (done_) return false;
  row.sites = row_sites_;
  row.file_site = site_number(position_, plan_.stored, plan_.file_order);
  row.site_rank = lattice::site_rank(position_, plan_.extents);
  row.rank_stride = rank_stride_;
  row.memory_site = site_number(position_, plan_.memory, plan_.memory_order);
  row.memory_stride = memory_stride_;
  row.first = position_;
  step();
  return true;
}

// To the first site of the next row: the dimensions within a row stay at their lower end.
void Rows::step() noexcept { step_from(static_cast<std::size_t>(merged_)); }

void Rows::step_from(std::size_t first) noexcept {
  for (std::size_t k = first; k < plan_.file_order.size(); ++k) {
    const int d = plan_.file_order[k];
    if (++position_[d] - plan_.wanted.lower[d] < plan_.wanted.extents[d]) return;
    position_[d] = plan_.wanted.lower[d];
  }
  done_ = true;
}

void Rows::restart() noexcept {
  position_ = plan_.wanted.lower;
  done_ = row_sites_ == 0;
}

void Rows::seek(std::uint64_t file_site) noexcept {
  restart();
  if (done_) return;
  if (file_site >= plan_.stored.volume()) {
    done_ = true;
    return;
  }
  const Coord x = site_at(file_site, plan_.stored, plan_.file_order);
  // From the slowest dimension on, follow x as long as it is inside; the first dimension in which it lies before or
  // behind the wanted sites decides.
  for (std::size_t k = plan_.file_order.size(); k-- > static_cast<std::size_t>(merged_);) {
    const int d = plan_.file_order[k];
    if (x[d] < plan_.wanted.lower[d]) return;
    if (x[d] >= plan_.wanted.lower[d] + plan_.wanted.extents[d]) {
      position_[d] = plan_.wanted.lower[d] + plan_.wanted.extents[d] - 1;
      return step_from(k);
    }
    position_[d] = x[d];
  }
  if (site_number(position_, plan_.stored, plan_.file_order) + row_sites_ <= file_site) step();
}

Coord Rows::site(const Row& row, std::uint64_t k) const {
  return site_of_rank(row.site_rank + k * row.rank_stride, plan_.extents);
}

}  // namespace lq::lattice
