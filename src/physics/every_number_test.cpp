// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Observables of fields whose numbers may be anything: infinities and NaNs are counted wherever they are, and no
// average is made of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <limequat/physics.hpp>

#include "lattice/local_field.hpp"
#include "physics/link_checks.hpp"
#include "physics/plaquettes.hpp"
#include "support/every_number.hpp"
#include "support/thread_comm.hpp"

namespace lq::physics {
namespace {

using lq::testing::every_number;

std::uint64_t count_odd(const std::vector<double>& numbers) {
  return static_cast<std::uint64_t>(std::ranges::count_if(numbers, [](double x) { return !std::isfinite(x); }));
}

// Whether the trace of any link is not finite.
bool has_odd_trace(const std::vector<double>& links, int colors) {
  const auto n = static_cast<std::size_t>(colors);
  bool is_odd = false;
  for (std::size_t link = 0; link < links.size(); link += 2 * n * n) {
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) trace += links[link + 2 * (n + 1) * i];
    is_odd = is_odd || !std::isfinite(trace);
  }
  return is_odd;
}

// All numbers, as often as they have room in the field, in another order for each `first`.
template <class Number>
std::vector<Number> links_of(std::size_t count, std::size_t first) {
  const std::vector<Number> all = every_number<Number>();
  std::vector<Number> links(count);
  for (std::size_t k = 0; k < count; ++k) links[k] = all[(first + 7 * k) % all.size()];
  return links;
}

template <class Number>
void expect_counted(int colors, std::size_t first) {
  const Extents extents{4, 4, 2, 6};
  const auto of_site = static_cast<std::size_t>(2 * colors * colors * 4);
  std::vector<Number> links = links_of<Number>(volume(extents) * of_site, first);
  const std::uint64_t odd = count_odd({links.begin(), links.end()});
  ASSERT_GT(odd, 0U);
  const Grid grid(extents);
  const MutableField field = gauge(links, {.colors = colors});
  const Physics physics = measure(grid, field);
  EXPECT_EQ(physics.not_finite, odd);
  EXPECT_EQ(count_not_finite(grid, field), odd);
  EXPECT_TRUE(std::isnan(physics.plaquette.average));
  EXPECT_EQ(std::isnan(physics.link_trace), has_odd_trace({links.begin(), links.end()}, colors));
  EXPECT_GT(physics.unitarity.far_links, 0U);
  EXPECT_EQ(physics::examine_links(grid, field, 2).zeros.all, 0U);
  lq::testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid halves(Communicator(comm), extents, {.processes = Coord{1, 1, 1, 2}});
    const std::size_t mine = links.size() / 2;
    std::vector<Number> own(links.begin() + static_cast<std::ptrdiff_t>(mine) * comm->rank(),
                            links.begin() + static_cast<std::ptrdiff_t>(mine) * (comm->rank() + 1));
    const Physics shared = measure(halves, gauge(own, {.colors = colors}));
    EXPECT_EQ(shared.not_finite, odd);
    EXPECT_TRUE(std::isnan(shared.plaquette.average));
  });
}

TEST(FieldsOfEveryNumber, HaveTheirOddOnesCountedAndNoAverage) {
  for (const int colors : {2, 3, 4}) {
    for (const std::size_t first : {0U, 11111U}) {
      expect_counted<double>(colors, first);
      expect_counted<float>(colors, first);
    }
  }
}

TEST(FieldsOfEveryNumber, AreNoAnglesOfU1) {
  const Extents extents{4, 4, 8, 8};
  const std::vector<double> numbers = links_of<double>(volume(extents) * 4, 0);
  std::vector<std::array<double, 4>> angles(volume(extents));
  for (std::size_t k = 0; k < numbers.size(); ++k) angles[k / 4][k % 4] = numbers[k];
  EXPECT_TRUE(std::isnan(u1_plaquette(Grid(extents), sites(angles), 1)));
}

}  // namespace
}  // namespace lq::physics
