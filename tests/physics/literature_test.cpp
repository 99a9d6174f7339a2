// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Four dimensions at physical couplings: plaquettes of the literature.
#include <gtest/gtest.h>

#include "physics/chain_results.hpp"

namespace lq {
namespace {

using testing::Estimate;
using testing::plaquette_of_chain;

TEST(Literature, Su3PlaquetteAtBetaSix) {
  const Estimate found = plaquette_of_chain({8, 8, 8, 8}, 3, {.beta = 6.0, .sweeps = 240}, 40);
  EXPECT_NEAR(found.mean, 0.5937, 5 * found.error);
  EXPECT_LT(found.error, 0.0004);
}

TEST(Literature, Su2PlaquetteAtBetaTwoPointThree) {
  const Estimate found = plaquette_of_chain({8, 8, 8, 8}, 2, {.beta = 2.3, .sweeps = 450}, 50);
  EXPECT_NEAR(found.mean, 0.6024, 5 * found.error);
  EXPECT_LT(found.error, 0.0004);
}

}  // namespace
}  // namespace lq
