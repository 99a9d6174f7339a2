// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/site_numbers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace lq::kernels {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<std::uint16_t> words) {
  std::vector<std::byte> bytes;
  for (const std::uint16_t word : words) {
    bytes.push_back(static_cast<std::byte>(word & 0xFF));
    bytes.push_back(static_cast<std::byte>(word >> 8));
  }
  return bytes;
}

// As the programs have it, which take the power of the rounded root.
TEST(SharedExponent, WidthIsThePowerOfEveryExponent) {
  for (int e = 0; e <= 65535; ++e) {
    const float expected = static_cast<float>(std::pow(1.4142135623730950488, static_cast<double>(e - 32767)));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(half_width_of(static_cast<std::uint16_t>(e))),
              std::bit_cast<std::uint32_t>(expected))
        << e;
  }
}

TEST(SharedExponent, NumbersAreTheMiddlesOfSteps) {
  std::array<float, 4> values{};
  ASSERT_TRUE(decode_shared_exponents(bytes_of({32769, 0, 65535, 32768, 16384}), 4, values));
  EXPECT_EQ(values[0], -2 + 0.5F * 4 / 65536);
  EXPECT_EQ(values[1], -2 + 65535.5F * 4 / 65536);
  EXPECT_EQ(values[2], -2 + 32768.5F * 4 / 65536);
  EXPECT_EQ(values[3], -2 + 16384.5F * 4 / 65536);
}

TEST(SharedExponent, GroupsHaveExponentsOfTheirOwn) {
  std::array<float, 4> values{};
  ASSERT_TRUE(decode_shared_exponents(bytes_of({32767, 32768, 32768, 32769, 32768, 32768}), 2, values));
  EXPECT_EQ(values[0], 0.5F * 2 / 65536);
  EXPECT_EQ(values[2], 0.5F * 4 / 65536);
  EXPECT_EQ(shared_exponent_bytes(4, 2), 12U);
}

TEST(SharedExponent, AGroupOfZerosIsZeros) {
  std::array<float, 3> values{1, 1, 1};
  ASSERT_TRUE(decode_shared_exponents(bytes_of({0, 0, 17, 65535}), 3, values));
  for (const float value : values) EXPECT_EQ(value, 0.0F);
}

TEST(SharedExponent, WhatIsNoNumberIsTold) {
  std::array<float, 1> values{};
  EXPECT_FALSE(decode_shared_exponents(bytes_of({65535, 1}), 1, values));
  EXPECT_FALSE(decode_shared_exponents(bytes_of({32767 + 256, 1}), 1, values));
  EXPECT_FALSE(decode_shared_exponents(bytes_of({32767 + 254, 1}), 1, values));  // the whole width
  EXPECT_FALSE(decode_shared_exponents(bytes_of({32767 + 253, 1}), 1, values));  // one and a half of it
  EXPECT_TRUE(decode_shared_exponents(bytes_of({32767 + 253, 0}), 1, values));
}

}  // namespace
}  // namespace lq::kernels
