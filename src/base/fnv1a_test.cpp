// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/fnv1a.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lq::base {
namespace {

// The vectors that come with the specification of FNV.
TEST(Fnv1a, IsTheSumOfItsSpecification) {
  EXPECT_EQ(fnv1a({}), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a(as_bytes(std::string("a"))), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a(as_bytes(std::string("foobar"))), 0x85944171f73967e8U);
}

TEST(Fnv1a, ShowsTheOneByteThatIsWrong) {
  const std::string right = "<precision>D</precision><typesize>96</typesize><datacount>7</datacount>";
  const std::uint64_t sum = fnv1a(as_bytes(right));
  for (std::size_t at = 0; at < right.size(); ++at) {
    for (const int flip : {1, 0x20, 0x80, 0xff}) {
      std::string damaged = right;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto found = byte_for(as_bytes(damaged), sum);
      ASSERT_TRUE(found) << at;
      EXPECT_EQ(found->at, at);
      EXPECT_EQ(static_cast<char>(found->value), right[at]);
    }
  }
}

TEST(Fnv1a, NamesNoByteWhereTwoAreWrong) {
  std::string damaged = "<precision>D</precision><typesize>96</typesize>";
  const std::uint64_t sum = fnv1a(as_bytes(damaged));
  damaged[3] = 'x', damaged[30] = 'y';
  EXPECT_FALSE(byte_for(as_bytes(damaged), sum));
  EXPECT_FALSE(byte_for({}, sum));
}

}  // namespace
}  // namespace lq::base
