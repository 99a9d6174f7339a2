// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/text_facts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lq::base {
namespace {

std::string listed(std::string_view text, std::size_t limit = 100) {
  std::string list;
  for (const TextFact& fact : facts_in(text, limit))
    list += std::string(fact.key) + ":" + std::string(fact.value) + ";";
  return list;
}

TEST(TextFacts, AreLinesOfNamesAndValues) {
  EXPECT_EQ(listed("plaquette = 0.5\n trajectory nr = 7\n beta = 6.0, kappa = 0.125, mu = 1\n date = Thu, 3 May\n"),
            "plaquette:0.5;trajectory nr:7;beta:6.0;kappa:0.125;mu:1;date:Thu, 3 May;");
  EXPECT_EQ(listed("a = b = c"), "a:b = c;");
  EXPECT_EQ(listed("no facts\n= 3\nx =\n"), "");
  EXPECT_EQ(listed("a = 1\nb = 2\nc = 3", 2), "a:1;b:2;");
}

TEST(TextFacts, AreLeavesOfXml) {
  EXPECT_EQ(listed("<?xml version=\"1.0\"?><a><version>1.0</version><plaq>0.5</plaq><b unit=\"x\"> 7 </b><c/></a>"),
            "plaq:0.5;b:7;");
  EXPECT_EQ(listed("<a><b>1<c>2</c></b></a"), "c:2;");
  EXPECT_EQ(listed("<a><b>"), "");
}

TEST(TextFacts, HaveOneNameWhoeverWritesThem) {
  EXPECT_EQ(unified_key("plaq"), "plaquette");
  EXPECT_EQ(unified_key("trajectory nr"), "trajectory");
  EXPECT_EQ(unified_key("beta"), "beta");
}

}  // namespace
}  // namespace lq::base
