// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
#include "lattice/rows.hpp"

#include <algorithm>
#include <limits>

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

// Checks the plan, and resolves its orders.
RowPlan resolved(RowPlan plan) {
  const int dimensions = plan.extents.size();
  plan.file_order = resolve_order(plan.file_order, dimensions);
  plan.memory_order = resolve_order(plan.memory_order, dimensions);
  lq::volume(plan.extents);  // products of extents fit 63 bits from here on
  lq::volume(plan.memory.extents);
  if (!plan.stored.empty()) require_inside(plan.stored, whole(plan.extents), "sites stored in the file");
  if (!plan.wanted.empty()) {
    require_inside(plan.wanted, plan.stored, "sites wanted from the file");
    require_inside(plan.wanted, plan.memory, "sites wanted in memory");
  }
  return plan;
}

// What `plan.wanted` has in common with the file, which leads, with memory, and with the whole lattice.
Runs runs_of(const RowPlan& plan) {
  Part file = Part::of_box(Index(plan.stored.lower), Index(plan.stored.extents), plan.file_order);
  file.lower = Index(plan.wanted.lower);
  file.extents = Index(plan.wanted.extents);
  const Part memory = Part::of_box(Index(plan.memory.lower), Index(plan.memory.extents), plan.memory_order);
  const Box all = whole(plan.extents);
  const Part lattice = Part::of_box(Index(all.lower), Index(all.extents), resolve_order({}, plan.extents.size()));
  const std::array<const Part*, 3> parts{&file, &memory, &lattice};
  return Runs(parts, Runs::Lead::contiguous);
}

}  // namespace

Rows::Rows(const RowPlan& plan) : plan_(resolved(plan)), runs_(runs_of(plan_)) {}

bool Rows::next(Row& row) {
  SpacedRun run;
  if (!runs_.next(run)) return false;
  row.sites = run.count;
  row.file_site = static_cast<std::uint64_t>(run.position[0]);
  row.memory_site = static_cast<std::uint64_t>(run.position[1]);
  row.memory_stride = run.stride[1];
  row.site_rank = static_cast<std::uint64_t>(run.position[2]);
  row.rank_stride = static_cast<std::uint64_t>(run.stride[2]);
  row.first = site_of_rank(row.site_rank, plan_.extents);
  return true;
}

void Rows::restart() noexcept { runs_.restart(); }

void Rows::seek(std::uint64_t file_site) noexcept {
  // Behind every site of at most 2^63 that a file holds.
  constexpr auto last = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  runs_.seek(static_cast<std::int64_t>(std::min(file_site, last)));
}

Coord Rows::site(const Row& row, std::uint64_t k) const {
  return site_of_rank(row.site_rank + k * row.rank_stride, plan_.extents);
}

}  // namespace lq::lattice
