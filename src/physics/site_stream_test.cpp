// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every layout of a field yields the same sequence of sites.
#include "physics/site_sums.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "lattice/site_order.hpp"

namespace lq::physics {
namespace {

using Sites = std::vector<std::vector<double>>;

Sites stream(const Grid& grid, const Field& field) {
  Sites sites;
  SiteStream(grid, field).for_each(0, grid.local_volume(), [&](std::uint64_t site, std::span<const double> numbers) {
    EXPECT_EQ(site, sites.size());
    sites.emplace_back(numbers.begin(), numbers.end());
  });
  return sites;
}

// Two numbers per site: the site's number and its negative.
template <class T>
std::vector<T> numbers_in_order(const Grid& grid, const SiteOrder& order) {
  std::vector<T> numbers;
  const SiteOrder resolved = lattice::resolve_order(order, grid.extents().size());
  for (std::uint64_t i = 0; i < grid.volume(); ++i) {
    const auto rank = lattice::site_rank(lattice::site_at(i, grid.local_box(), resolved), grid.extents());
    numbers.push_back(static_cast<T>(rank));
    numbers.push_back(-static_cast<T>(rank));
  }
  return numbers;
}

class SiteStream : public ::testing::Test {
 protected:
  void expect_natural(const Field& field) const {
    const Sites sites = stream(grid_, field);
    ASSERT_EQ(sites.size(), grid_.volume());
    for (std::size_t i = 0; i < sites.size(); ++i) {
      EXPECT_EQ(sites[i], (std::vector<double>{static_cast<double>(i), -static_cast<double>(i)}));
    }
  }
  Grid grid_{{2, 3, 4}};
};

TEST_F(SiteStream, GivesDoublesAsTheyAre) {
  const auto numbers = numbers_in_order<double>(grid_, {});
  expect_natural(field_in(numbers, generic_spec(Precision::double_, 2, false)));
}

TEST_F(SiteStream, WidensSinglePrecision) {
  const auto numbers = numbers_in_order<float>(grid_, {});
  expect_natural(field_in(numbers, generic_spec(Precision::single, 2, false)));
}

TEST_F(SiteStream, UndoesTheOrderOfMemory) {
  const auto numbers = numbers_in_order<double>(grid_, {2, 0, 1});
  expect_natural(field_in(numbers, generic_spec(Precision::double_, 2, false), {2, 0, 1}));
}

TEST_F(SiteStream, CallsFunctionsWithGlobalCoordinates) {
  expect_natural(
      field_from<float, 2>(generic_spec(Precision::single, 2, false), [](const Coord& x, std::span<float, 2> site) {
        site[0] = static_cast<float>(x[0] + 2 * (x[1] + 3 * x[2]));
        site[1] = -site[0];
      }));
}

}  // namespace
}  // namespace lq::physics
