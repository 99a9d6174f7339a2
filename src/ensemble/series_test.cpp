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

TEST(SeriesNames, HoldTheNumberOfTheFolderIfTheNameHasNone) {
  struct Case {
    const char* path;
    const char* series;
  };
  for (const Case& c :
       {Case{"/data/0010/lattice", "/data/*/lattice"}, Case{"/d1/conf.10/links.h5", "/d1/conf.*/links.h5"},
        Case{"/d/Traj_10/l.ildg", "/d/Traj_*/l.ildg"}}) {
    const NameParts parts = parts_of(c.path);
    EXPECT_EQ(parts.series, c.series);
    EXPECT_EQ(parts.number, 10) << c.path;
    EXPECT_TRUE(parts.is_of_folder);
  }
  for (const char* path : {"/data/L24/links.h5", "/b600/r1/last.ildg", "/10a/last.ildg", "/last.ildg", "last.ildg",
                           "/99999999999999999999999/last.ildg"}) {
    EXPECT_EQ(parts_of(path).series, path);
    EXPECT_FALSE(parts_of(path).number) << path;
  }
  EXPECT_FALSE(parts_of("/data/0010/lattice.7").is_of_folder);
}

TEST(Suffixes, OfOtherFormatsAreKnown) {
  EXPECT_TRUE(has_suffix_of_others("/x/conf.ildg", "nersc"));
  EXPECT_TRUE(has_suffix_of_others("/x/conf.h5", "ildg"));
  EXPECT_TRUE(has_suffix_of_others("/x/conf.milc", "hdf5"));
  for (const char* format : {"ildg", "scidac", "modes", "squeezed", ""}) {
    EXPECT_FALSE(has_suffix_of_others("/x/conf.ILDG", format)) << format;
  }
  EXPECT_FALSE(has_suffix_of_others("/x/conf.H5", "hdf5"));
  EXPECT_FALSE(has_suffix_of_others("/x/conf.0010", "nersc"));
}

TEST(SeriesNames, WithoutANumberAreTheirOwn) {
  for (const char* path : {"/run1/last.lime", "/run1/links.h5", "/run1/conf.99999999999999999999999"}) {
    EXPECT_EQ(parts_of(path).series, path);
    EXPECT_FALSE(parts_of(path).number) << path;
  }
}

TEST(OldVersions, AreKnownByTheirNames) {
  const std::pair<const char*, const char*> marked[] = {{"/x/conf.0100.ildg.bak", "/x/conf.0100.ildg"},
                                                        {"/x/conf.0100.ildg.old2", "/x/conf.0100.ildg"},
                                                        {"/x/conf.0100_old.ildg", "/x/conf.0100.ildg"},
                                                        {"/x/conf.0100.ildg~", "/x/conf.0100.ildg"},
                                                        {"/x/conf.0100.ildg.~12~", "/x/conf.0100.ildg"},
                                                        {"/x/conf.0100 (copy).ildg", "/x/conf.0100.ildg"},
                                                        {"/x/conf.0100.ildg (Copy)", "/x/conf.0100.ildg"},
                                                        {"/x/OLD-conf.0100.ildg", "/x/conf.0100.ildg"},
                                                        {"/x/#conf.0100.ildg#", "/x/conf.0100.ildg"},
                                                        {"/x/0100.bak/lattice", "/x/0100/lattice"},
                                                        {"conf.0100.tmp", "conf.0100"}};
  for (const auto& [path, present] : marked) EXPECT_EQ(without_version_mark(path), present) << path;
  for (const char* path : {"/x/conf.0100.ildg", "/x/golden.0100.ildg", "/x/old/conf.0100.ildg", "/x/fold.10", "/x/old",
                           "/x/r0.bak/conf.0100.ildg", "~", "lat.0100", "copyright.10"}) {
    EXPECT_EQ(without_version_mark(path), "") << path;
  }
}

}  // namespace
}  // namespace lq::ensemble
