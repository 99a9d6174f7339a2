// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The local sites of a field one after the other, whatever its memory looks like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

#include "base/function_ref.hpp"
#include "device/sites.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/row_walk.hpp"

namespace lq::physics {

// Takes the numbers of local site `site` (its number in natural order), widened to double.
using TakeSite = base::FunctionRef<void(std::uint64_t site, std::span<const double> numbers)>;

// Of one thread; of a field in memory several may be used side by side. The grid outlives it.
class SiteStream {
 public:
  // Local. `field` is resolved.
  SiteStream(const Grid& grid, const Field& field);
  // Local. The sites numbered begin .. end-1 in natural order.
  void for_each(std::uint64_t begin, std::uint64_t end, const TakeSite& take);

 private:
  void for_each_in_rows(std::uint64_t begin, std::uint64_t end, const TakeSite& take);
  std::span<const double> widen(const void* site);

  const Grid& grid_;
  Field field_;
  SiteOrder natural_, order_;
  std::vector<double> scratch_;
  std::optional<device::SitesOut> on_device_;  // only where the memory is a GPU's
  std::optional<lattice::RowsOut> elsewhere_;  // only where the memory is not plain
  std::optional<lattice::RowWalk> walk_;
  std::vector<std::byte> row_;
};

}  // namespace lq::physics
