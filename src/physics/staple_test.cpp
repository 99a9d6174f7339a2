// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The staple is what the action sees of a link.
#include "physics/links.hpp"

#include <gtest/gtest.h>

#include "physics/plaquettes.hpp"
#include "physics/subgroup.hpp"

namespace lq::physics {
namespace {

class Staple : public ::testing::Test {
 protected:
  Staple() {
    Random random({.seed = 1});
    for (int mu = 0; mu < links_.directions(); ++mu) {
      for (std::size_t x = 0; x < links_.halo().cells(); ++x) draw_matrix(n_, links_.at(mu, x), random);
    }
  }

  // Sum over plaquettes of Re Tr U_P.
  double action() {
    const double plaquettes = static_cast<double>(grid_.volume()) * 6;
    comm::Team alone(1);
    return average_plaquette(grid_, 3, links_, alone).average * plaquettes * 3;
  }
  // Re Tr(U * staple).
  double share(int mu, std::size_t x) {
    Matrix<Fixed<3>> staple, product;
    add_up_staple(n_, links_, mu, x, staple.data());
    multiply(n_, links_.at(mu, x), staple.data(), product.data());
    return real_trace(n_, product.data());
  }

  static constexpr Fixed<3> n_{};
  Grid grid_{{3, 2, 4, 2}};
  Links links_{grid_, 3, Reach::staples};
};

TEST_F(Staple, HasTheShareOfTheActionThatALinkChanges) {
  for (int mu = 0; mu < 4; ++mu) {
    const double action_before = action(), share_before = share(mu, 7);
    Random random({.seed = 2, .mu = static_cast<std::uint32_t>(mu)});
    draw_matrix(n_, links_.at(mu, 7), random);
    EXPECT_NEAR(action() - action_before, share(mu, 7) - share_before, 1e-9);
  }
}

TEST_F(Staple, CountsEveryPlaquetteFourTimesInAll) {
  double sum = 0;
  for (int mu = 0; mu < 4; ++mu) {
    for (std::size_t x = 0; x < links_.halo().local_cells(); ++x) sum += share(mu, x);
  }
  EXPECT_NEAR(sum, 4 * action(), 1e-9);
}

}  // namespace
}  // namespace lq::physics
