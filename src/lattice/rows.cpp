// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
#include "lattice/rows.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

void require_inside(const Box& inner, const Box& outer, const char* what) {
  if (intersect(inner, outer) == inner) return;
  const std::string expected = fmt::format("inside {} at {}", to_string(outer.extents), to_string(outer.lower));
  const std::string found = fmt::format("{} at {}", to_string(inner.extents), to_string(inner.lower));
  base::fail(Code::invalid_argument, {.expected = expected, .found = found}, "{}: a box of {}, expected {}", what,
             found, expected);
}

void require_fit(const RowPlan& plan) {
  lq::volume(plan.extents);  // products of extents fit 63 bits from here on
  lq::volume(plan.memory.extents);
  if (!plan.stored.empty()) require_inside(plan.stored, whole(plan.extents), "sites stored in the file");
  if (!plan.wanted.empty()) {
    require_inside(plan.wanted, plan.stored, "sites wanted from the file");
    require_inside(plan.wanted, plan.memory, "sites wanted in memory");
  }
}

// Checks the plan, and resolves its orders.
RowPlan resolved(RowPlan plan) {
  const int dimensions = plan.extents.size();
  plan.file_order = resolve_order(plan.file_order, dimensions);
  plan.memory_order = resolve_order(plan.memory_order, dimensions);
  require_fit(plan);
  return plan;
}

Part part_of(const Box& box, const SiteOrder& order) {
  return Part::of_box(Index(box.lower), Index(box.extents), order);
}

// The same as part_of(), in a part with equally many digits.
void move_part(Part& part, const Box& box, std::span<const int> order) noexcept {
  part.lower = part.origin = Index(box.lower);
  part.extents = Index(box.extents);
  std::uint64_t stride = 1;
  for (std::size_t k = 0; k < order.size(); ++k) {
    part.digits[k] = {order[k], 1, 0, static_cast<std::int64_t>(stride)};
    stride *= static_cast<std::uint64_t>(box.extents[order[k]]);
  }
}

}  // namespace

Rows::Rows(const RowPlan& plan)
    : plan_(resolved(plan)),
      file_(part_of(plan_.stored, plan_.file_order)),
      memory_(part_of(plan_.memory, plan_.memory_order)),
      lattice_(part_of(whole(plan_.extents), resolve_order({}, plan_.extents.size()))),
      runs_(common_runs()) {}

void Rows::aim_at(const Box& box, std::span<const int> memory_order) {
  plan_.memory = plan_.wanted = box;
  require_fit(plan_);
  std::ranges::copy(memory_order, plan_.memory_order.begin());
  move_part(memory_, box, memory_order);
  runs_ = common_runs();
}

void Rows::narrow(const Box& part) noexcept {
  plan_.wanted = part;
  runs_ = common_runs();
}

// The intersection of `wanted` with the file, which leads, with memory, and with the whole lattice.
Runs Rows::common_runs() noexcept {
  file_.lower = Index(plan_.wanted.lower);
  file_.extents = Index(plan_.wanted.extents);
  const std::array<const Part*, 3> parts{&file_, &memory_, &lattice_};
  return Runs(parts, Runs::Lead::contiguous);
}

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
  // After every site of a file, which holds at most 2^63.
  constexpr auto last = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  runs_.seek(static_cast<std::int64_t>(std::min(file_site, last)));
}

Coord Rows::site(const Row& row, std::uint64_t k) const {
  return site_of_rank(row.site_rank + k * row.rank_stride, plan_.extents);
}

}  // namespace lq::lattice
