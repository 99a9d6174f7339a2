// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The examples that NIST publishes with FIPS 180-4.
#include "kernels/sha256.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace lq::kernels {
namespace {

Sha256::Words digest_of(std::string_view text, std::size_t step) {
  Sha256 hash;
  for (std::size_t at = 0; at < text.size(); at += step) hash.add(base::as_bytes(text.substr(at, step)));
  return hash.finish();
}

constexpr Sha256::Words of_nothing{0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924,
                                   0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855};
constexpr Sha256::Words of_abc{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                               0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
constexpr Sha256::Words of_two_blocks{0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039,
                                      0xa33ce459, 0x64ff2167, 0xf6ecedd4, 0x19db06c1};
constexpr Sha256::Words of_a_million{0xcdc76e5c, 0x9914fb92, 0x81a1c7e2, 0x84d73e67,
                                     0xf1809a48, 0xa497200e, 0x046d39cc, 0xc7112cd0};

TEST(Sha256, OfThePublishedExamples) {
  EXPECT_EQ(digest_of("", 1), of_nothing);
  EXPECT_EQ(digest_of("abc", 3), of_abc);
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56), of_two_blocks);
  EXPECT_EQ(digest_of(std::string(1000000, 'a'), 1000000), of_a_million);
}

TEST(Sha256, DoesNotDependOnHowTheDataCome) {
  const std::string text(1000, 'x');
  for (const std::size_t step : {1u, 7u, 55u, 56u, 63u, 64u, 65u, 128u}) {
    EXPECT_EQ(digest_of(text, step), digest_of(text, text.size())) << step;
  }
}

// Where the processor has instructions for it.
TEST(Sha256, WithInstructionsIsThatInPlainCode) {
  const Sha256Compression fast = sha256_instructions();
  if (fast == nullptr) GTEST_SKIP() << "no instructions for SHA-256 here";
  std::mt19937 random(5);
  std::vector<std::byte> blocks(64 * 7);
  for (int trial = 0; trial < 100; ++trial) {
    Sha256::Words state;
    for (std::uint32_t& word : state) word = static_cast<std::uint32_t>(random());
    for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
    Sha256::Words expected = state;
    const std::size_t count = static_cast<std::size_t>(trial) % 8;
    compress_sha256_portable(expected.data(), blocks.data(), count);
    fast(state.data(), blocks.data(), count);
    ASSERT_EQ(state, expected) << trial;
  }
}

// The published example of three letters is one block; both ways must give it.
TEST(Sha256, OfThreeLettersIsTheSameInPlainCode) {
  std::array<std::byte, 64> block{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}, std::byte{0x80}};
  block[63] = std::byte{24};
  for (const Sha256Compression compress : {Sha256Compression{compress_sha256_portable}, sha256_compression()}) {
    Sha256::Words state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    compress(state.data(), block.data(), 1);
    EXPECT_EQ(state, of_abc);
  }
}

}  // namespace
}  // namespace lq::kernels
