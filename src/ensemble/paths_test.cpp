// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/paths.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "ensemble/files.hpp"
#include "ensemble/pace.hpp"

namespace lq::ensemble {
namespace {

TEST(KeptPaths, AreRelativeToTheCatalogueAndComeBack) {
  const Paths paths("/data/home");
  for (const auto& [full, kept] :
       std::vector<std::pair<std::string, std::string>>{{"/data/home/run/conf.1", "run/conf.1"},
                                                        {"/data/home", "."},
                                                        {"/data/homes/conf", "../homes/conf"},
                                                        {"/data", ".."},
                                                        {"/", "../.."},
                                                        {"/etc/conf", "../../etc/conf"},
                                                        {"/data/home/..hidden", "..hidden"}}) {
    EXPECT_EQ(paths.kept(full), kept);
    EXPECT_EQ(paths.full(kept), full);
  }
  EXPECT_EQ(paths.full("/elsewhere/conf"), "/elsewhere/conf");
  const Paths root("/");
  EXPECT_EQ(root.kept("/conf"), "conf");
  EXPECT_EQ(root.full("conf"), "/conf");
  EXPECT_EQ(Paths().kept("/conf"), "/conf");
}

TEST(KeptPaths, AreRedirectedBelowTheInnermostFolder) {
  Paths paths("/new");
  paths.redirect("/new/run", "/old/run");
  paths.redirect("/new/run/deep", "/other");
  EXPECT_EQ(paths.full("run/conf"), "/old/run/conf");
  EXPECT_EQ(paths.full("run"), "/old/run");
  EXPECT_EQ(paths.full("run/deep/conf"), "/other/conf");
  EXPECT_EQ(paths.full("running/conf"), "/new/running/conf");
}

TEST(Exclusions, CompareNamesOrPathsBelowTheFolder) {
  const Exclusion exclusion("*.tmp,old/,scratch/*,,./a/b");
  for (const char* path :
       {"/run/x.tmp", "/run/old", "/run/deep/old/conf", "/run/scratch/a/conf", "/run/a/b", "/run/a/b/c"}) {
    EXPECT_TRUE(exclusion.holds(path, "/run")) << path;
  }
  for (const char* path : {"/run", "/run/older", "/run/x.tmpx", "/run/scratch", "/run/deep/scratch/x", "/run/a/bc"}) {
    EXPECT_FALSE(exclusion.holds(path, "/run")) << path;
  }
  EXPECT_FALSE(Exclusion("old").holds("/old/run/conf", "/old/run"));  // folders above are not asked
  EXPECT_TRUE(Exclusion(",").is_none());
}

TEST(Rates, AreANumberAndAUnit) {
  EXPECT_EQ(rate_of("100M"), 1e8);
  EXPECT_EQ(rate_of("1.5G"), 1.5e9);
  EXPECT_EQ(rate_of("20kB/s"), 2e4);
  EXPECT_EQ(rate_of("7"), 7);
  for (const char* wrong : {"", "M", "0", "-1M", "1X", "nan", "inf", "1e30", "0.5"})
    EXPECT_THROW(rate_of(wrong), Error) << wrong;
}

}  // namespace
}  // namespace lq::ensemble
