// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is noticed of numbers that pass, for every way in which links are stored: expectations are counted by hand.
#include "engine/transfer_stats.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

namespace lq::engine {
namespace {

constexpr std::size_t numbers_of_link = 18;

// 4^4, links of SU(3) that are 1.
Payload gauge_payload() {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.links = 4;
  payload.spec.numbers = 4 * numbers_of_link;
  payload.extents = Extents{4, 4, 4, 4};
  payload.stored = whole(payload.extents);
  return payload;
}

std::vector<double> unit_links(std::uint64_t sites) {
  std::vector<double> numbers(sites * 4 * numbers_of_link);
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k % numbers_of_link % 8 == 0 ? 1 : 0;
  return numbers;
}

// The numbers of all sites in the form of the payload.
std::vector<std::byte> bytes_of(const Payload& payload, const std::vector<double>& numbers) {
  const std::size_t bytes = payload.spec.number_bytes(), of_site = payload.spec.numbers;
  std::vector<std::uint32_t> order = payload.codec.order;
  for (std::size_t k = order.size(); payload.codec.order.empty() && k < of_site; ++k)
    order.push_back(static_cast<std::uint32_t>(k));
  std::vector<std::byte> result;
  for (std::size_t site = 0; site * of_site < numbers.size(); ++site) {
    for (const std::uint32_t place : order) {
      const double number = numbers[site * of_site + place];
      std::byte stored[8];
      if (bytes == 4) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
        payload.byte_order == ByteOrder::big ? base::store_be(stored, bits) : base::store_le(stored, bits);
      } else {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        payload.byte_order == ByteOrder::big ? base::store_be(stored, bits) : base::store_le(stored, bits);
      }
      result.insert(result.end(), stored, stored + bytes);
    }
  }
  return result;
}

OddNumbers odd_numbers(const Payload& payload, const std::function<void(std::vector<double>&)>& change) {
  std::vector<double> numbers = unit_links(256);
  change(numbers);
  NumberWatch watch(payload);
  watch.look(payload, bytes_of(payload, numbers), 0);
  return watch.found;
}

std::vector<Payload> every_form() {
  std::vector<Payload> forms;
  for (const Precision precision : {Precision::single, Precision::double_}) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      for (const int kind : {0, 1, 2}) {
        Payload payload = gauge_payload();
        payload.spec.precision = precision;
        payload.byte_order = order;
        // Directions t, x, y, z; or two rows of three.
        for (const std::uint32_t mu : {3U, 0U, 1U, 2U}) {
          for (std::uint32_t k = 0; kind > 0 && k < (kind == 1 ? 18U : 12U); ++k)
            payload.codec.order.push_back(18 * mu + k);
        }
        payload.codec.third_rows_missing = kind == 2;
        forms.push_back(payload);
      }
    }
  }
  return forms;
}

TEST(NumberWatch, IsContentWithLinksOfTheGroup) {
  for (const Payload& payload : every_form()) {
    const OddNumbers odd = odd_numbers(payload, [](std::vector<double>&) {});
    EXPECT_EQ(odd.seen, 256U);
    EXPECT_EQ(odd.not_finite.count + odd.off.count + odd.huge.count + odd.zero_links.count, 0U);
  }
}

TEST(NumberWatch, FindsOneLinkThatIsOff) {
  for (const Payload& payload : every_form()) {
    const OddNumbers odd =
        odd_numbers(payload, [](std::vector<double>& links) { links[72 * 100 + 18 * 2 + 8] = 0.99; });
    EXPECT_EQ(odd.off.count, 1U);
    EXPECT_EQ(odd.off.first_offset, 100 * payload.site_bytes());
  }
}

TEST(NumberWatch, FindsNumbersThatAreNone) {
  for (const Payload& payload : every_form()) {
    const OddNumbers odd = odd_numbers(payload, [](std::vector<double>& links) {
      links[72 * 7] = std::nan("");
      links[72 * 9 + 3] = -HUGE_VAL;
    });
    EXPECT_EQ(odd.not_finite.count, 2U);
    EXPECT_EQ(odd.not_finite.first_offset, 7 * payload.site_bytes());
    EXPECT_EQ(odd.off.count, 0U);
  }
}

TEST(NumberWatch, TellsLinksFromNumbersOfAnySize) {
  const OddNumbers odd = odd_numbers(gauge_payload(), [](std::vector<double>& links) { links[72 * 7] = 1e200; });
  EXPECT_EQ(odd.huge.count, 1U);
}

TEST(NumberWatch, LooksCloselyAtOneSiteOfABlock) {
  // Rows 0 and 1 are the same: of the right length, but no matrix of the group.
  const OddNumbers odd = odd_numbers(gauge_payload(), [](std::vector<double>& links) {
    links[72 * 128 + 8] = 0;
    links[72 * 128 + 6] = 1;
  });
  EXPECT_EQ(odd.off.count, 1U);
}

TEST(NumberWatch, TellsLinksInDoublePrecisionThatAreOffByMoreThanRounding) {
  for (const Payload& payload : every_form()) {
    const bool is_double = payload.spec.precision == Precision::double_;
    const OddNumbers odd = odd_numbers(payload, [](std::vector<double>& links) {
      links[72 * 5] += 1e-9;
      links[72 * 9 + 18] += 1e-12;
    });
    EXPECT_EQ(odd.slightly_off.count, is_double ? 1U : 0U);
    EXPECT_EQ(odd.off.count, 0U);
  }
  // Where most are so, what is further off is found all the same.
  std::vector<double> links = unit_links(8192);
  for (std::size_t k = 0; k < links.size(); k += 9) links[k] *= 1 + 1e-8;
  links[72 * 8000] = 1.1;
  const Payload payload = gauge_payload();
  NumberWatch watch(payload);
  for (std::size_t site = 0; site < 8192; site += 256) {
    const std::vector<double> block(links.begin() + static_cast<std::ptrdiff_t>(72 * site),
                                    links.begin() + static_cast<std::ptrdiff_t>(72 * (site + 256)));
    watch.look(payload, bytes_of(payload, block), 0);
  }
  EXPECT_GT(2 * watch.found.slightly_off.count, watch.found.seen / 2);
  EXPECT_EQ(watch.found.off.count, 1U);
}

TEST(NumberWatch, CountsZeroLinksAtTheBordersInTime) {
  for (const Payload& payload : every_form()) {
    const OddNumbers odd = odd_numbers(payload, [](std::vector<double>& links) {
      for (std::size_t site = 192; site < 256; ++site) std::fill_n(links.data() + 72 * site + 54, 18, 0.0);
      std::fill_n(links.begin() + 72 * 3, 18, 0.0);
    });
    EXPECT_EQ(odd.zero_links.count, 65U);
    EXPECT_EQ(odd.zero_links.first_offset, 3 * payload.site_bytes());
    EXPECT_EQ(odd.zero_at_border[1][3], 64U);
    EXPECT_EQ(odd.zero_at_border[0][0], 1U);
    EXPECT_EQ(odd.off.count, 0U);
  }
}

TEST(NumberWatch, AsksOfOtherFieldsOnlyThatTheyAreNumbers) {
  Payload payload = gauge_payload();
  payload.spec = generic_spec(Precision::double_, 72, false);
  const auto broken = [](std::vector<double>& numbers) {
    std::fill_n(numbers.begin(), 72 * 50, 0.0);
    numbers[72 * 60] = 1e300;
    numbers[72 * 70 + 71] = std::nan("");
  };
  const OddNumbers odd = odd_numbers(payload, broken);
  EXPECT_EQ(odd.not_finite.count, 1U);
  EXPECT_EQ(odd.not_finite.first_offset, 70 * payload.site_bytes());
  EXPECT_EQ(odd.off.count + odd.zero_links.count + odd.huge.count, 0U);
}

TEST(NumberWatch, AddsWhatOthersSaw) {
  OddNumbers sum;
  OddNumbers one, other;
  one.seen = 3;
  other.seen = 4;
  one.off = {2, 500};
  other.off = {1, 100};
  other.zero_at_border[1][2] = 7;
  sum.add(one);
  sum.add(other);
  EXPECT_EQ(sum.seen, 7U);
  EXPECT_EQ(sum.off.count, 3U);
  EXPECT_EQ(sum.off.first_offset, 100U);
  EXPECT_EQ(sum.zero_at_border[1][2], 7U);
}

}  // namespace
}  // namespace lq::engine
