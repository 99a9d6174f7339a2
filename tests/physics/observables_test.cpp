// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Observables against the naive implementation, gauge invariance, and wrong arguments.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/physics.hpp>

#include "physics/naive.hpp"
#include "physics/split.hpp"
#include "support/error_of.hpp"

namespace lq {
namespace {

using testing::error_of;
using testing::local_links;

using testing::Split;

// What there is to ask, by one call each.
struct Seen {
  Plaquette plaquette;
  double link_trace = 0;
  Unitarity unitarity;
  std::uint64_t not_finite = 0;
};

Seen see(const Grid& grid, const Field& field, int threads) {
  return {plaquette(grid, field, threads), link_trace(grid, field, threads), unitarity(grid, field, threads),
          count_not_finite(grid, field, threads)};
}

// No number is equal to itself where it is NaN, but its bits are.
std::vector<std::uint64_t> bits_of(const Seen& seen) {
  std::vector<std::uint64_t> bits{seen.not_finite, seen.unitarity.far_links,
                                  static_cast<std::uint64_t>(seen.unitarity.worst_link)};
  for (const double number : {seen.plaquette.average, seen.plaquette.spatial, seen.plaquette.temporal, seen.link_trace,
                              seen.unitarity.largest, seen.unitarity.mean, seen.unitarity.largest_determinant}) {
    bits.push_back(std::bit_cast<std::uint64_t>(number));
  }
  for (const std::int64_t x : seen.unitarity.worst_site) bits.push_back(static_cast<std::uint64_t>(x));
  return bits;
}

Physics measure_alone(const naive::Lattice& lattice) {
  const auto links = lattice.links;
  return measure(Grid(lattice.extents), gauge(links, {.colors = lattice.colors}));
}

TEST(FreeField, HasPlaquetteAndTraceOne) {
  const Physics physics = measure_alone(naive::unit_links({4, 3, 2, 5}, 3));
  EXPECT_EQ(physics.plaquette.average, 1);
  EXPECT_EQ(physics.plaquette.spatial, 1);
  EXPECT_EQ(physics.plaquette.temporal, 1);
  EXPECT_EQ(physics.link_trace, 1);
  EXPECT_EQ(physics.unitarity.largest, 0);
  EXPECT_EQ(physics.unitarity.largest_determinant, 0);
  EXPECT_EQ(physics.unitarity.worst_site, (Coord{0, 0, 0, 0}));
  EXPECT_EQ(physics.not_finite, 0U);
}

struct SmallLattice {
  int colors = 0;
  Extents extents;
};

class Observables : public ::testing::TestWithParam<SmallLattice> {};

TEST_P(Observables, AgreeWithTheNaiveImplementation) {
  const auto lattice = naive::random_links(GetParam().extents, GetParam().colors, 1);
  const Physics found = measure_alone(lattice), expected = naive::measure(lattice);
  constexpr double tolerance = 1e-13;
  EXPECT_NEAR(found.plaquette.average, expected.plaquette.average, tolerance);
  EXPECT_NEAR(found.plaquette.spatial, expected.plaquette.spatial, tolerance);
  EXPECT_NEAR(found.plaquette.temporal, expected.plaquette.temporal, tolerance);
  EXPECT_NEAR(found.link_trace, expected.link_trace, tolerance);
  EXPECT_LT(found.unitarity.largest, tolerance);
  EXPECT_LT(found.unitarity.largest_determinant, tolerance);
  EXPECT_GT(std::abs(expected.plaquette.average), 1e-6);  // or nothing was compared
}

TEST_P(Observables, DistancesAgreeWhereLinksAreNotUnitary) {
  auto lattice = naive::random_links(GetParam().extents, GetParam().colors, 2);
  lattice.links[lattice.links.size() / 2] += 0.25;
  lattice.links[lattice.links.size() / 3] *= 1.01;
  const Unitarity found = measure_alone(lattice).unitarity, expected = naive::measure(lattice).unitarity;
  EXPECT_NEAR(found.largest, expected.largest, 1e-13);
  EXPECT_NEAR(found.mean, expected.mean, 1e-13);
  EXPECT_NEAR(found.largest_determinant, expected.largest_determinant, 1e-13);
  EXPECT_EQ(found.worst_site, expected.worst_site);
  EXPECT_EQ(found.worst_link, expected.worst_link);
  EXPECT_EQ(found.far_links, 2U);
}

TEST_P(Observables, PlaquetteIsGaugeInvariantButTheTraceIsNot) {
  const auto lattice = naive::random_links(GetParam().extents, GetParam().colors, 3);
  const Physics before = measure_alone(lattice), after = measure_alone(naive::transformed(lattice, 4));
  EXPECT_NEAR(after.plaquette.average, before.plaquette.average, 1e-13);
  EXPECT_NEAR(after.plaquette.spatial, before.plaquette.spatial, 1e-13);
  EXPECT_LT(after.unitarity.largest, 1e-13);
  EXPECT_GT(std::abs(after.link_trace - before.link_trace), 1e-6);
}

TEST_P(Observables, OneByOneTheyAreThoseOfMeasure) {
  const auto lattice = naive::random_links(GetParam().extents, GetParam().colors, 5);
  const Grid grid(lattice.extents);
  const auto field = gauge(lattice.links, {.colors = lattice.colors});
  const Physics all = measure(grid, field);
  EXPECT_EQ(plaquette(grid, field).average, all.plaquette.average);
  EXPECT_EQ(link_trace(grid, field), all.link_trace);
  EXPECT_EQ(unitarity(grid, field).mean, all.unitarity.mean);
  EXPECT_EQ(count_not_finite(grid, field), all.not_finite);
}

// Also where there are more threads than sites in a slice, and more than cores.
TEST_P(Observables, HaveTheSameBitsWithAnyNumberOfThreads) {
  auto lattice = naive::random_links(GetParam().extents, GetParam().colors, 6);
  for (const std::size_t i : {lattice.links.size() / 4, lattice.links.size() / 2}) lattice.links[i] += 0.25;
  lattice.links.back() = std::numeric_limits<double>::infinity();
  const Extents& extents = lattice.extents;
  const Split splits[] = {{1, Coord::filled(extents.size(), 1)}, {2, Coord::filled(extents.size(), 1)}};
  for (Split split : splits) {
    if (split.ranks == 2 && extents[0] > 1) split.processes[0] = 2;
    testing::on_split(extents, split, [&](const Grid& grid) {
      const auto links = local_links<double>(grid, lattice);
      const auto field = gauge(links, {.colors = lattice.colors});
      const Seen one = see(grid, field, 1);
      EXPECT_EQ(one.not_finite, 1U);
      EXPECT_GE(one.unitarity.far_links, 2U);
      for (const int threads : {2, 3, 7, 40}) EXPECT_EQ(bits_of(see(grid, field, threads)), bits_of(one)) << threads;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Observables,
                         ::testing::Values(SmallLattice{2, {4, 5}}, SmallLattice{3, {3, 3}}, SmallLattice{2, {3, 4, 2}},
                                           SmallLattice{3, {2, 3, 4}}, SmallLattice{4, {3, 2, 2}},
                                           SmallLattice{2, {2, 3, 2, 4}}, SmallLattice{3, {4, 2, 3, 3}},
                                           SmallLattice{4, {2, 2, 2, 3}}, SmallLattice{3, {1, 3, 1, 2}},
                                           SmallLattice{5, {2, 2, 1}}));

TEST(Plaquette, InTwoDimensionsIsTemporalOnly) {
  const auto found = measure_alone(naive::random_links({3, 4}, 3, 1)).plaquette;
  EXPECT_EQ(found.spatial, 0);
  EXPECT_EQ(found.temporal, found.average);
}

// Ways in which memory may hold the same links.
class Layouts : public ::testing::Test {
 protected:
  naive::Lattice lattice_ = naive::random_links({3, 2, 4, 2}, 3, 6);
  Grid grid_{lattice_.extents};
  std::vector<std::complex<double>> links_ = lattice_.links;
  double expected_ = plaquette(grid_, gauge(links_)).average;
};

TEST_F(Layouts, OrderOfSitesInMemoryDoesNotMatter) {
  const auto reordered = local_links<double>(grid_, lattice_, {3, 1, 0, 2});
  EXPECT_EQ(plaquette(grid_, gauge(reordered, {.order = {3, 1, 0, 2}})).average, expected_);
  EXPECT_NE(plaquette(grid_, gauge(reordered)).average, expected_);
}

TEST_F(Layouts, FunctionsAreAsked) {
  const std::thread::id caller = std::this_thread::get_id();
  const auto field = gauge_from<double>([&](const Coord& x, std::span<double, 72> site) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    std::memcpy(site.data(), links_.data() + lattice_.site(x) * 36, sizeof(double) * 72);
  });
  EXPECT_EQ(plaquette(grid_, field).average, expected_);
  EXPECT_EQ(plaquette(grid_, field, 3).average, expected_);
  EXPECT_EQ(link_trace(grid_, field, 3), link_trace(grid_, gauge(links_)));
}

TEST_F(Layouts, SinglePrecisionIsWidened) {
  const auto single = local_links<float>(grid_, lattice_);
  auto rounded = lattice_;
  for (std::size_t i = 0; i < single.size(); ++i) rounded.links[i] = single[i];
  EXPECT_NEAR(plaquette(grid_, gauge(single)).average, naive::measure(rounded).plaquette.average, 1e-13);
}

TEST_F(Layouts, NumbersThatAreNoneAreCountedAndFound) {
  links_[1].real(std::numeric_limits<double>::quiet_NaN());
  links_[100].imag(std::numeric_limits<double>::infinity());
  const Physics physics = measure(grid_, gauge(links_));
  EXPECT_EQ(physics.not_finite, 2U);
  EXPECT_EQ(count_not_finite(grid_, gauge(links_)), 2U);
  EXPECT_TRUE(std::isnan(physics.plaquette.average));
  EXPECT_TRUE(std::isinf(physics.unitarity.largest));
  EXPECT_EQ(physics.unitarity.worst_site, (Coord{0, 0, 0, 0}));
}

TEST(CountNotFinite, TakesFieldsOfAnyKind) {
  std::vector<float> values(2 * 3, 1.0F);
  values[4] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(count_not_finite(Grid({2, 3}), sites(values)), 1U);
}

class WrongArguments : public ::testing::Test {
 protected:
  template <class F>
  Error error_for(const F& field, const Extents& extents = {2, 2, 2, 2}) {
    return error_of([&] { measure(Grid(extents), field); });
  }
  std::vector<std::complex<double>> memory_ = std::vector<std::complex<double>>(16 * 36);
};

TEST_F(WrongArguments, FieldsOfOtherKindsAreRejected) {
  const Error error = error_for(spinor(memory_));
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("spinor"), std::string::npos);
}

TEST_F(WrongArguments, LinksMustBeOnePerDimension) {
  EXPECT_EQ(error_for(gauge(memory_, {.links = 3})).code(), Code::invalid_argument);
  EXPECT_EQ(error_for(gauge(memory_), {16}).code(), Code::invalid_argument);
}

TEST_F(WrongArguments, MemoryMustSuffice) {
  memory_.pop_back();
  EXPECT_EQ(error_for(gauge(memory_)).code(), Code::invalid_argument);
}

TEST_F(WrongArguments, OrderMustBeAPermutation) {
  EXPECT_EQ(error_for(gauge(memory_, {.order = {0, 1, 1, 3}})).code(), Code::invalid_argument);
}

TEST_F(WrongArguments, NumbersMustBeThoseOfTheGroup) {
  auto field = gauge(memory_);
  field.spec.numbers = 71;
  EXPECT_EQ(error_for(field).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq
