// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Claim: a text names the sites that a Python slice of the same bounds does, and nothing else is taken for one.
#include "lattice/region_text.hpp"

#include <gtest/gtest.h>

#include <limequat/error.hpp>

namespace lq::lattice {
namespace {

const Extents whole_lattice{4, 6, 2, 8};

struct Named {
  const char* text;
  Coord lower;
  Extents extents;
};

TEST(RegionText, NamesASpanOfEachAxis) {
  for (const Named& one : {Named{"t=0:8", {0, 0, 0, 0}, {4, 6, 2, 8}}, Named{"t=2:5", {0, 0, 0, 2}, {4, 6, 2, 3}},
                           Named{"x=1:,t=:4", {1, 0, 0, 0}, {3, 6, 2, 4}}, Named{"t=-3:-1", {0, 0, 0, 5}, {4, 6, 2, 2}},
                           Named{"1=2:6,2=1:2", {0, 2, 1, 0}, {4, 4, 1, 8}}, Named{"y=:", {0, 0, 0, 0}, whole_lattice},
                           Named{"t=5", {0, 0, 0, 5}, {4, 6, 2, 1}}, Named{"t=-1,x=0", {0, 0, 0, 7}, {1, 6, 2, 1}},
                           Named{"t=-8,1=5,z=:1", {0, 5, 0, 0}, {4, 1, 1, 1}}}) {
    EXPECT_EQ(region_of("a.ildg", one.text, whole_lattice), (Box{one.lower, one.extents})) << one.text;
  }
}

TEST(RegionText, IsRefusedWhereItNamesNoSites) {
  for (const char* const text : {"",        "t",
                                 "t=",      "t=8",
                                 "t=-9",    "t=a",
                                 "t=-",     "t=-0",
                                 "t=1,t=2", "s=0:1",
                                 "s=0",     "4=0:1",
                                 "t=0:9",   "t=5:5",
                                 "t=5:4",   "t=-9:",
                                 "t=a:b",   "t=0:1,t=1:2",
                                 "t=0:1,,", "t=1:2:3",
                                 "t=--1:",  "t=18446744073709551617:"}) {
    EXPECT_THROW(region_of("a.ildg", text, whole_lattice), Error) << text;
  }
}

}  // namespace
}  // namespace lq::lattice
