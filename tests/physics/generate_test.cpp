// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Generated configurations against exact results: two dimensions and strong coupling. Seeds are fixed.
#include <span>

#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/physics.hpp>

#include "physics/chain_results.hpp"
#include "support/error_of.hpp"

namespace lq {
namespace {

using testing::error_of;
using testing::Estimate;
using testing::plaquette_of_chain;

using Links = std::vector<std::complex<double>>;

void expect_compatible(const Estimate& found, double expected, double systematic = 0) {
  EXPECT_GT(found.error, 0);
  EXPECT_NEAR(found.mean, expected, 5 * found.error + systematic);
}

TEST(ExactResults, AgreeWithTheirExpansions) {
  EXPECT_NEAR(testing::exact_plaquette_su2_torus(2.0, 256), 0.433127, 1e-6);  // I2(2)/I1(2)
  for (const double beta : {0.05, 0.1, 0.2}) {
    EXPECT_NEAR(testing::exact_plaquette_su3_single(beta), beta / 18 + beta * beta / 216, beta * beta * beta * 1e-3);
  }
}

struct Torus {
  Extents extents;
  double beta = 0;
  bool hot_start = false;
};
class Su2InTwoDimensions : public ::testing::TestWithParam<Torus> {};

TEST_P(Su2InTwoDimensions, HasTheExactPlaquette) {
  const auto& [extents, beta, hot_start] = GetParam();
  const int sites = static_cast<int>(volume(extents));
  const GenerateOptions options{
      .beta = beta, .sweeps = 100000 / sites + 400, .over_relaxation = 1, .hot_start = hot_start};
  const Estimate found = plaquette_of_chain(extents, 2, options, 100);
  expect_compatible(found, testing::exact_plaquette_su2_torus(beta, sites));
  EXPECT_LT(found.error, 0.004);
}

INSTANTIATE_TEST_SUITE_P(Tori, Su2InTwoDimensions,
                         ::testing::Values(Torus{{16, 16}, 2.0, false}, Torus{{16, 16}, 0.5, true},
                                           Torus{{16, 16}, 8.0, true}, Torus{{5, 7}, 2.0, false},
                                           Torus{{3, 4}, 3.0, false}, Torus{{2, 3}, 3.0, false},
                                           Torus{{2, 2}, 3.0, false}));

TEST(Su3InTwoDimensions, HasTheExactPlaquette) {
  for (const double beta : {2.0, 7.0}) {
    const Estimate found = plaquette_of_chain({12, 12}, 3, {.beta = beta, .sweeps = 900, .over_relaxation = 1}, 100);
    expect_compatible(found, testing::exact_plaquette_su3_single(beta));
    EXPECT_LT(found.error, 0.002);
  }
}

TEST(Su3AtStrongCoupling, IsThatOfSinglePlaquettes) {
  // The next term comes from cubes and is 4 (beta/18)^5 in size, far below the error.
  for (const double beta : {0.5, 1.0}) {
    const Estimate found = plaquette_of_chain({4, 4, 4, 4}, 3, {.beta = beta, .sweeps = 220, .over_relaxation = 0}, 20);
    expect_compatible(found, testing::exact_plaquette_su3_single(beta));
    EXPECT_LT(found.error, 0.001);
  }
}

TEST(Su3AtBetaSix, IsNearTheLiteratureOnASmallLattice) {
  const Estimate found = plaquette_of_chain({6, 6, 6, 6}, 3, {.beta = 6.0, .sweeps = 100}, 40);
  EXPECT_NEAR(found.mean, 0.5937, 0.004);
}

TEST(OverRelaxation, ChangesNoAverage) {
  const Estimate without = plaquette_of_chain({8, 8}, 3, {.beta = 4.0, .sweeps = 1000, .over_relaxation = 0}, 100);
  const Estimate with = plaquette_of_chain({8, 8}, 3, {.beta = 4.0, .sweeps = 1000, .over_relaxation = 4}, 100);
  expect_compatible(with, without.mean, 5 * without.error);
}

class Generate : public ::testing::Test {
 protected:
  Grid grid_{{4, 4, 3, 4}};
  Links links_ = Links(grid_.local_volume() * 36);
};

TEST_F(Generate, LinksAreUnitary) {
  generate(grid_, gauge(links_), {.sweeps = 20});
  const Unitarity found = unitarity(grid_, gauge(links_));
  EXPECT_LT(found.largest, 1e-14);
  EXPECT_LT(found.largest_determinant, 1e-14);
  EXPECT_LT(plaquette(grid_, gauge(links_)).average, 0.9);
}

TEST_F(Generate, StartsColdOrHot) {
  generate(grid_, gauge(links_), {.sweeps = 0});
  EXPECT_EQ(plaquette(grid_, gauge(links_)).average, 1);
  generate(grid_, gauge(links_), {.sweeps = 0, .hot_start = true});
  EXPECT_NEAR(plaquette(grid_, gauge(links_)).average, 0, 0.05);
  EXPECT_LT(unitarity(grid_, gauge(links_)).largest, 1e-14);
}

TEST_F(Generate, IsReproducibleBySeed) {
  Links again = links_, other = links_;
  generate(grid_, gauge(links_), {.sweeps = 2, .seed = 7});
  generate(grid_, gauge(again), {.sweeps = 2, .seed = 7});
  generate(grid_, gauge(other), {.sweeps = 2, .seed = 8});
  EXPECT_TRUE(links_ == again);
  EXPECT_FALSE(links_ == other);
}

// Every bit of every link has a share in this, as a difference grows from sweep to sweep.
TEST_F(Generate, MeansTheSameBitsOnEveryMachine) {
  generate(grid_, gauge(links_), {.beta = 5.7, .sweeps = 20, .seed = 1234567890123});
  EXPECT_EQ(plaquette(grid_, gauge(links_)).average, 0x1.290ee1078af22p-1);
  generate(grid_, gauge(std::span(links_).first(grid_.local_volume() * 16), {.colors = 2}),
           {.beta = 0.8, .sweeps = 20, .hot_start = true});
  EXPECT_EQ(plaquette(grid_, gauge(links_, {.colors = 2})).average, 0x1.ba379e3be48a1p-3);
}

TEST_F(Generate, ShowsTheFieldAfterEverySweepCountingFromOne) {
  std::vector<int> sweeps;
  Links last;
  GenerateOptions options{.sweeps = 3};
  options.after_sweep = [&](int sweep, const Field& field) {
    sweeps.push_back(sweep);
    const auto* numbers = static_cast<const std::complex<double>*>(field.data);
    last.assign(numbers, numbers + links_.size());
  };
  generate(grid_, gauge(links_), options);
  EXPECT_EQ(sweeps, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(last == links_);
}

TEST_F(Generate, LookingChangesNothing) {
  Links unseen = links_;
  GenerateOptions options{.sweeps = 3};
  generate(grid_, gauge(unseen), options);
  options.after_sweep = [&](int, const Field& field) { plaquette(grid_, field); };
  generate(grid_, gauge(links_), options);
  EXPECT_TRUE(unseen == links_);
}

TEST_F(Generate, RejectsWrongOptions) {
  for (const GenerateOptions& options : {GenerateOptions{.beta = -1}, GenerateOptions{.beta = std::nan("")},
                                         GenerateOptions{.sweeps = -1}, GenerateOptions{.over_relaxation = -1}}) {
    EXPECT_EQ(error_of([&] { generate(grid_, gauge(links_), options); }).code(), Code::invalid_argument);
  }
}

TEST_F(Generate, RejectsWrongFields) {
  std::vector<std::complex<float>> single(links_.size());
  const auto code_for = [&](const MutableField& field) { return error_of([&] { generate(grid_, field); }).code(); };
  EXPECT_EQ(code_for(gauge(single)), Code::invalid_argument);
  EXPECT_EQ(code_for(spinor(links_)), Code::invalid_argument);
  EXPECT_EQ(code_for(gauge(links_, {.links = 3})), Code::invalid_argument);
  EXPECT_EQ(code_for(gauge(links_, {.order = {3, 2, 1, 0}})), Code::invalid_argument);
  EXPECT_EQ(code_for(gauge_into<double>([](const Coord&, std::span<const double, 72>) {})), Code::invalid_argument);
  links_.pop_back();
  EXPECT_EQ(code_for(gauge(links_)), Code::invalid_argument);
}

TEST(GenerateElsewhere, RejectsLargerGroupsAndExtentsOfOne) {
  Links links(1000);
  const auto code_for = [&](const Extents& extents, int colors) {
    return error_of([&] { generate(Grid(extents), gauge(links, {.colors = colors})); }).code();
  };
  EXPECT_EQ(code_for({2, 2}, 4), Code::unsupported);
  EXPECT_EQ(code_for({2, 1}, 3), Code::invalid_argument);
  EXPECT_EQ(code_for({4}, 3), Code::invalid_argument);
}

}  // namespace
}  // namespace lq
