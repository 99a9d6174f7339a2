// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the zeros are, whatever order they are found in.
#include "engine/transfer_stats.hpp"

#include <gtest/gtest.h>

namespace lq::engine {
namespace {

TEST(Zeros, AreToldFromTheFirstToTheLast) {
  const ZeroRegion front{1, 100, 200}, middle{2, 300, 500}, none{}, behind{3, 900, 1200};
  const ZeroRegion orders[][3] = {{front, middle, behind}, {behind, front, middle}, {middle, behind, front}};
  for (const auto& order : orders) {
    ZeroRegion all;
    for (const ZeroRegion& one : order) {
      add(all, none);
      add(all, one);
    }
    EXPECT_EQ(all.sites, 6U);
    EXPECT_EQ(all.first_offset, 100U);
    EXPECT_EQ(all.last_offset, 1200U);
  }
}

}  // namespace
}  // namespace lq::engine
