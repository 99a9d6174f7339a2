// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/codec/tile.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <limequat/error.hpp>

#include "archive/codec/words.hpp"
#include "kernels/crc32.hpp"
#include "support/every_number.hpp"
#include "support/float_modes.hpp"

namespace lq::archive {
namespace {

using Complex = std::complex<double>;
using Matrix = std::array<std::array<Complex, 3>, 3>;

// Random matrices of SU(3): two random rows made orthonormal, the third one their cross product.
Matrix random_link(std::mt19937_64& random) {
  std::normal_distribution<double> draw;
  Matrix u;
  for (std::size_t i = 0; i < 2; ++i) {
    for (Complex& number : u[i]) number = {draw(random), draw(random)};
  }
  const auto normalise = [](auto& row) {
    double norm = 0;
    for (const Complex& number : row) norm += std::norm(number);
    for (Complex& number : row) number /= std::sqrt(norm);
  };
  normalise(u[0]);
  Complex along;
  for (std::size_t j = 0; j < 3; ++j) along += std::conj(u[0][j]) * u[1][j];
  for (std::size_t j = 0; j < 3; ++j) u[1][j] -= along * u[0][j];
  normalise(u[1]);
  for (std::size_t j = 0; j < 3; ++j) {
    const std::size_t a = (j + 1) % 3, b = (j + 2) % 3;
    u[2][j] = std::conj(u[0][a] * u[1][b] - u[0][b] * u[1][a]);
  }
  return u;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

template <class T>
void append(std::vector<std::byte>& to, double number, bool big) {
  const auto word = std::bit_cast<WordOf<T>>(static_cast<T>(number));
  to.resize(to.size() + sizeof(T));
  std::byte* const at = &to[to.size() - sizeof(T)];
  if (big) {
    store_word<WordOf<T>, true>(at, word);
  } else {
    store_word<WordOf<T>, false>(at, word);
  }
}

// Links with rounding errors of their own in every number: products.
std::vector<std::byte> links(std::size_t count, const Numbers& of, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k < count; ++k) {
    const Matrix u = product(random_link(random), random_link(random));
    for (std::size_t i = 0; i < of.reals / 6U; ++i) {
      for (const Complex& number : u[i]) {
        for (const double part : {number.real(), number.imag()}) {
          if (of.bytes == 8) append<double>(bytes, part, of.big_endian);
          if (of.bytes == 4) append<float>(bytes, part, of.big_endian);
        }
      }
    }
  }
  return bytes;
}

std::vector<std::byte> round_trip(const std::vector<std::byte>& bytes, const Numbers& of) {
  std::vector<std::byte> back(bytes.size());
  decode_links(encode_links(bytes, of), back, of);
  return back;
}

class LinkCodec : public ::testing::TestWithParam<Numbers> {};

TEST_P(LinkCodec, LinksComeBackBitForBitInLessThanHalf) {
  const Numbers of = GetParam();
  for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 9U, 20U, 63U, 64U, 65U, 129U, 5000U}) {
    const std::vector<std::byte> bytes = links(count, of);
    EXPECT_EQ(round_trip(bytes, of), bytes) << count;
  }
  const std::vector<std::byte> many = links(20000, of, 2);
  const double share = static_cast<double>(encode_links(many, of).size()) / static_cast<double>(many.size());
  // Of 12 numbers eight stay; of 18 all that the third row says is known.
  EXPECT_LT(share, of.reals == 12 ? 0.66 : 0.46);
}

// One in each link among others that fit, at every place of it, and links that are made of nothing else.
TEST_P(LinkCodec, EveryNumberComesBackBitForBit) {
  const Numbers of = GetParam();
  const auto put = [&](std::byte* at, std::size_t k) {
    static const std::vector<double> doubles = lq::testing::every_number<double>();
    static const std::vector<float> singles = lq::testing::every_number<float>();
    if (of.bytes == 8) {
      const auto word = std::bit_cast<std::uint64_t>(doubles[k % doubles.size()]);
      of.big_endian ? base::store_be(at, word) : base::store_le(at, word);
    } else {
      const auto word = std::bit_cast<std::uint32_t>(singles[k % singles.size()]);
      of.big_endian ? base::store_be(at, word) : base::store_le(at, word);
    }
  };
  std::vector<std::byte> bytes = links(25000, of);
  for (std::size_t k = 0; k < 25000; ++k) put(bytes.data() + (k * of.reals + k % of.reals) * of.bytes, k);
  EXPECT_EQ(round_trip(bytes, of), bytes);
  for (std::size_t k = 0; k < bytes.size() / of.bytes; ++k) put(bytes.data() + k * of.bytes, k);
  EXPECT_EQ(round_trip(bytes, of), bytes);
}

TEST_P(LinkCodec, WhatIsNoLinkComesBackToo) {
  const Numbers of = GetParam();
  std::vector<std::byte> bytes = links(300, of);
  const std::size_t link = std::size_t{of.reals} * of.bytes;
  std::mt19937_64 random(3);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(7 * link), 5 * link, std::byte{0});   // an open boundary
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(100 * link), link, std::byte{0xff});  // not a number
  for (std::size_t k = 0; k < link; ++k) bytes[200 * link + k] = static_cast<std::byte>(random());
  for (std::size_t k = 0; k < 40; ++k) bytes[random() % bytes.size()] ^= std::byte{0x10};  // damage
  EXPECT_EQ(round_trip(bytes, of), bytes);
}

TEST_P(LinkCodec, UnitMatricesAndNegativeZeros) {
  const Numbers of = GetParam();
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k < 200; ++k) {
    for (std::size_t i = 0; i < of.reals; ++i) {
      const double number = i % 8 == 0 ? 1.0 : (i + k) % 3 == 0 ? -0.0 : 0.0;
      if (of.bytes == 8) append<double>(bytes, number, of.big_endian);
      if (of.bytes == 4) append<float>(bytes, number, of.big_endian);
    }
  }
  EXPECT_EQ(round_trip(bytes, of), bytes);
}

// Whatever the bytes, decoding ends: with an error, or with some links.
TEST_P(LinkCodec, DamageIsMetWithoutHarm) {
  const Numbers of = GetParam();
  const std::vector<std::byte> bytes = links(100, of), encoded = encode_links(bytes, of);
  std::mt19937_64 random(5);
  std::vector<std::byte> back(bytes.size());
  for (int attempt = 0; attempt < 300; ++attempt) {
    std::vector<std::byte> damaged = encoded;
    for (int flips = 0; flips < 3; ++flips) {
      damaged[random() % (attempt % 2 == 0 ? damaged.size() : 200)] ^= static_cast<std::byte>(1U << random() % 8);
    }
    if (attempt % 3 == 0) damaged.resize(random() % damaged.size());
    try {
      decode_links(damaged, back, of);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::malformed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllNumbers, LinkCodec,
                         ::testing::Values(Numbers{18, 8, true}, Numbers{18, 8, false}, Numbers{18, 4, true},
                                           Numbers{18, 4, false}, Numbers{12, 8, true}, Numbers{12, 4, false}),
                         [](const auto& of) {
                           return encoding_name(of.param).substr(0, 7) + (of.param.bytes == 8 ? "Double" : "Single") +
                                  (of.param.big_endian ? "Big" : "Little");
                         });

// Links by arithmetic on integers alone, so that every machine starts from the same bits: what comes out must be the
// same bytes with every instruction set, level of optimisation and compiler.
TEST(LinkCodecBytes, AreTheSameOnEveryMachine) {
  const Numbers of{18, 8, true};
  std::vector<std::byte> bytes;
  std::uint64_t state = 1;
  const auto draw = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(static_cast<std::int64_t>(state >> 20) - (std::int64_t{1} << 43)) * 0x1p-44;
  };
  for (std::size_t k = 0; k < 1000; ++k) {
    Matrix u;
    for (std::size_t i = 0; i < 2; ++i) {
      for (Complex& number : u[i]) number = {draw(), draw()};
    }
    for (std::size_t i = 0; i < 2; ++i) {
      double re = 0, im = 0, norm = 0;
      for (std::size_t j = 0; i == 1 && j < 3; ++j) {
        re += u[0][j].real() * u[1][j].real() + u[0][j].imag() * u[1][j].imag();
        im += u[0][j].real() * u[1][j].imag() - u[0][j].imag() * u[1][j].real();
      }
      for (std::size_t j = 0; j < 3; ++j) {
        if (i == 1) {
          u[1][j] = {u[1][j].real() - (re * u[0][j].real() - im * u[0][j].imag()),
                     u[1][j].imag() - (re * u[0][j].imag() + im * u[0][j].real())};
        }
        norm += u[i][j].real() * u[i][j].real() + u[i][j].imag() * u[i][j].imag();
      }
      const double length = std::sqrt(norm);
      for (Complex& number : u[i]) number = {number.real() / length, number.imag() / length};
    }
    for (std::size_t j = 0; j < 3; ++j) {
      const Complex a = u[0][(j + 1) % 3], b = u[1][(j + 2) % 3], c = u[0][(j + 2) % 3], d = u[1][(j + 1) % 3];
      u[2][j] = {(a.real() * b.real() - a.imag() * b.imag()) - (c.real() * d.real() - c.imag() * d.imag()),
                 -((a.real() * b.imag() + a.imag() * b.real()) - (c.real() * d.imag() + c.imag() * d.real()))};
    }
    for (const auto& row : u) {
      for (const Complex& number : row) {
        append<double>(bytes, number.real(), true);
        append<double>(bytes, number.imag(), true);
      }
    }
  }
  EXPECT_EQ(kernels::crc32(0, bytes), 222550428U);
  EXPECT_EQ(kernels::crc32(0, encode_links(bytes, of)), 3470241832U);
}

TEST(TileCodecOfArchives, TakesTheShortestWay) {
  const auto* const links_of = codec_named("links18-double-big");
  const auto* const numbers = codec_named("numbers-single-little");
  ASSERT_NE(links_of, nullptr);
  ASSERT_NE(numbers, nullptr);
  EXPECT_EQ(codec_named("links18-double"), nullptr);

  const std::vector<std::byte> tile = links(1000, {18, 8, true});
  const std::vector<std::byte> encoded = links_of->encode(tile);
  EXPECT_EQ(encoded[0], std::byte{3});
  EXPECT_LT(encoded.size(), tile.size() / 2);
  std::vector<std::byte> back(tile.size());
  links_of->decode(encoded, back);
  EXPECT_EQ(back, tile);

  const std::vector<std::byte> zeros(144 * 50);
  EXPECT_LT(links_of->encode(zeros).size(), 200U);

  std::vector<std::byte> noise(4096);
  std::mt19937_64 random(9);
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
  const std::vector<std::byte> stored = numbers->encode(noise);
  EXPECT_EQ(stored[0], std::byte{0});
  EXPECT_EQ(stored.size(), noise.size() + 8);
  EXPECT_THROW(links_of->decode(stored, noise), Error);  // numbers of another kind
}

// A program may round as it likes, and take numbers near zero for zero (-ffast-math): its archives are those of others.
TEST(TileCodecOfArchives, DoNotDependOnTheArithmeticOfTheProgram) {
  const auto& codec = *codec_named("links18-double-little");
  std::vector<std::byte> tile = links(300, {18, 8, false});
  // Links that are nearly 1 have elements down to the smallest numbers there are.
  for (std::size_t k = 0; k + 144 <= tile.size() / 2; k += 144) {
    std::array<double, 18> unit{};
    for (const std::size_t i : {0U, 8U, 16U}) unit[i] = 1;
    unit[2] = 1e-310 * static_cast<double>(k + 1);
    unit[6] = -unit[2];
    std::memcpy(&tile[k], unit.data(), 144);
  }
  const std::vector<std::byte> expected = codec.encode(tile);
  std::vector<std::byte> back(tile.size());
  testing::in_every_float_mode([&] {
    const std::vector<std::byte> encoded = codec.encode(tile);
    codec.decode(expected, back);
    EXPECT_EQ(encoded, expected);
    EXPECT_EQ(back, tile);
  });
}

TEST(TileCodecOfArchives, ASumTellsDamage) {
  const auto& codec = *codec_named("numbers-double-little");
  std::vector<std::byte> tile(800);
  for (std::size_t k = 0; k < tile.size(); ++k) tile[k] = static_cast<std::byte>(k * k);
  std::vector<std::byte> encoded = codec.encode(tile);
  encoded[5] ^= std::byte{1};
  try {
    codec.decode(encoded, tile);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::checksum_mismatch);
  }
}

}  // namespace
}  // namespace lq::archive
