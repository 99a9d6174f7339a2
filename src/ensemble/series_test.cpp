// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/files.hpp"

#include <gtest/gtest.h>

namespace lq::ensemble {
namespace {

TEST(SeriesNames, HoldTheLastNumberThatIsNoSuffix) {
  struct Case {
    const char* path;
    const char* series;
    std::int64_t number;
  };
  for (const Case& c :
       {Case{"/data/conf.0010.lime", "/data/conf.*.lime", 10}, Case{"/data/conf.0010", "/data/conf.*", 10},
        Case{"/d1/l24t48b6.0_1000.lime", "/d1/l24t48b6.0_*.lime", 1000}, Case{"/d/traj120.h5", "/d/traj*.h5", 120},
        Case{"/d/ckpoint_lat.500", "/d/ckpoint_lat.*", 500}}) {
    const NameParts parts = parts_of(c.path);
    EXPECT_EQ(parts.series, c.series);
    EXPECT_EQ(parts.number, c.number) << c.path;
  }
}

TEST(SeriesNames, WithoutANumberAreTheirOwn) {
  for (const char* path : {"/run1/last.lime", "/run1/links.h5", "/run1/conf.99999999999999999999999"}) {
    EXPECT_EQ(parts_of(path).series, path);
    EXPECT_FALSE(parts_of(path).number) << path;
  }
}

}  // namespace
}  // namespace lq::ensemble
