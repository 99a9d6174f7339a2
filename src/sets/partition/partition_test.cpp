// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitions as bijections, their texts, and how well they match, against plain loops over all elements.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/partition.hpp>

#include "storage/window.hpp"
#include "support/error_of.hpp"
#include "support/plain_partition.hpp"

namespace lq::sets {
namespace {

using testing::error_of;
using testing::places_by_dealing;
using testing::random_array;
using testing::random_partition;
using testing::RandomGeometry;

TEST(Partition, GivesEveryElementOnePlaceAndEveryPlaceOneElement) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomGeometry random(seed);
    const FileArray array = random_array(random);
    const Partition partition = random_partition(random, array);
    const std::vector<PartPlace> expected = places_by_dealing(array, partition.cuts());
    ASSERT_EQ(expected.size(), array.elements());
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::uint64_t e = 0; e < expected.size(); ++e) {
      ASSERT_EQ(partition.place_of(e), expected[e]) << "seed " << seed << " " << partition.text() << " element " << e;
      ASSERT_EQ(partition.element_at(expected[e]), e) << "seed " << seed << " " << partition.text();
      ++counts[expected[e].part];
    }
    for (std::uint64_t p = 0; p < partition.parts(); ++p) ASSERT_EQ(partition.elements(p), counts[p]);
  }
}

TEST(Partition, IsSpelledAsItIsRead) {
  const FileArray array{.element_bytes = 8, .extents = {8, 8, 8, 16, 3}};
  for (const char* text : {"whole", "t=block:4", "t=block:2,t=cyclic:2", "x=cyclic:2:4,z=block:3", "4=cyclic:3"}) {
    EXPECT_EQ(Partition::parse(array, text).text(), text);
  }
  EXPECT_EQ(Partition::parse(array, "3=block:4").text(), "t=block:4");
  EXPECT_EQ(Partition::parse(array, "x=cyclic:2:1").text(), "x=cyclic:2");
}

TEST(Partition, RefusesWhatIsNone) {
  const FileArray array{.extents = {8, 8, 8, 16}};
  for (const char* text : {"", "t", "t=block", "t=block:0", "t=block:2:3", "t=cyclic:2:0", "q=block:2", "t=block:2,",
                           "9=block:2", "t=cyclic:2:3:4", "x=cyclic:2:3,x=cyclic:2:2", "t=block:-1"}) {
    EXPECT_EQ(error_of([&] { Partition::parse(array, text); }).code(), Code::invalid_argument) << text;
  }
  const Error odd = error_of([&] { Partition::parse({.extents = {12}}, "x=cyclic:2:3,x=cyclic:2:2,x=block:2"); });
  EXPECT_NE(std::string(odd.what()).find("the division \"x=cyclic:2:2\" does not fit the previous ones"),
            std::string::npos)
      << odd.what();
  EXPECT_EQ(error_of([&] { Partition({.extents = {}}, {}); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { Partition({.extents = {0}}, {}); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { Partition({.element_bytes = 0, .extents = {2}}, {}); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { Partition({.element_bytes = 1ULL << 40, .extents = {1LL << 30}}, {}); }).code(),
            Code::too_large);
  EXPECT_EQ(error_of([&] { Partition::parse(array, "t=cyclic:9999999"); }).code(), Code::too_large);
  const Partition halves = Partition::parse(array, "t=block:2");
  EXPECT_EQ(error_of([&] { (void)halves.place_of(array.elements()); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { (void)halves.element_at({1, 4096}); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { (void)halves.element_at({2, 0}); }).code(), Code::invalid_argument);
}

// Byte of a part by byte of the file.
std::map<std::uint64_t, std::uint64_t> bytes_of(const Partition& partition, std::uint64_t part) {
  std::map<std::uint64_t, std::uint64_t> bytes;
  const FileArray& array = partition.array();
  const std::vector<PartPlace> places = places_by_dealing(array, partition.cuts());
  for (std::uint64_t e = 0; e < places.size(); ++e) {
    for (std::uint64_t k = 0; places[e].part == part && k < array.element_bytes; ++k) {
      bytes[array.begin + e * array.element_bytes + k] = places[e].position * array.element_bytes + k;
    }
  }
  return bytes;
}

TEST(CommonBytes, AreThoseOfBothPartsOnce) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    RandomGeometry random(seed);
    const Partition one = random_partition(random, random_array(random));
    const Partition other = random_partition(random, random_array(random));  // of another array of the same file
    const auto a = static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(one.parts()) - 1));
    const auto b = static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(other.parts()) - 1));
    const auto begin = static_cast<std::uint64_t>(random.between(0, 30));
    const std::uint64_t end = begin + static_cast<std::uint64_t>(random.between(0, 2000));
    const auto in_one = bytes_of(one, a), in_other = bytes_of(other, b);
    std::vector<std::array<std::uint64_t, 3>> expected, found;
    for (const auto& [byte, place] : in_one) {
      const auto met = in_other.find(byte);
      if (met != in_other.end() && byte >= begin && byte < end) expected.push_back({byte, place, met->second});
    }
    storage::PartBytes part(one, a), met(other, b);
    storage::CommonBytes common(part, met, begin, end);
    for (storage::CommonPiece piece; common.next(piece);) {
      for (std::uint64_t k = 0; k < piece.bytes; ++k) found.push_back({piece.file + k, piece.one + k, piece.other + k});
    }
    ASSERT_EQ(found, expected) << "seed " << seed;
  }
}

TEST(Matching, CountsPairsAndRuns) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    RandomGeometry random(seed);
    const FileArray array = random_array(random);
    const Partition one = random_partition(random, array), other = random_partition(random, array);
    const auto at_one = places_by_dealing(array, one.cuts()), at_other = places_by_dealing(array, other.cuts());
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>> last;
    std::uint64_t runs = 0;
    for (std::size_t e = 0; e < at_one.size(); ++e) {
      const auto pair = std::pair(at_one[e].part, at_other[e].part);
      const auto here = std::pair(at_one[e].position, at_other[e].position);
      const auto before = last.find(pair);
      if (before == last.end() || before->second.first + 1 != here.first || before->second.second + 1 != here.second) {
        ++runs;
      }
      last[pair] = here;
    }
    const Matching matching = match(one, other);
    ASSERT_EQ(matching.bytes, array.bytes());
    ASSERT_EQ(matching.pairs, last.size()) << "seed " << seed;
    ASSERT_EQ(matching.runs, runs) << "seed " << seed << " " << one.text() << " / " << other.text();
  }
}

TEST(Matching, IsPerfectForEqualPartitionsAndPoorForCyclicOnesAgainstBlocks) {
  const FileArray array{.element_bytes = 8, .extents = {16, 4}};
  const auto degree = [&](const char* one, const char* other) {
    return match(Partition::parse(array, one), Partition::parse(array, other)).degree();
  };
  EXPECT_EQ(degree("x=cyclic:2,y=block:2", "x=cyclic:2,y=block:2"), 1.0);
  EXPECT_EQ(degree("y=block:2", "y=block:4"), 1.0);
  EXPECT_EQ(degree("x=block:2", "whole"), 0.25);  // four rows for each half
  EXPECT_EQ(degree("x=cyclic:2", "y=block:4"), 8.0 / 64.0);
}

TEST(ProposedPartition, FitsTheAccess) {
  const FileArray array{.element_bytes = 8, .extents = {8, 8, 8, 8}};
  const auto proposed = [&](const char* access, std::uint64_t parts) {
    return propose_partition(Partition::parse(array, access), parts).text();
  };
  EXPECT_EQ(proposed("t=block:4", 4), "t=block:4");
  EXPECT_EQ(proposed("t=block:4", 2), "t=block:2");
  EXPECT_EQ(proposed("x=block:4", 4), "x=block:4");
  EXPECT_EQ(proposed("x=cyclic:4", 2), "x=cyclic:2");
  EXPECT_EQ(proposed("t=block:4,x=block:2", 8), "t=block:4,x=block:2");
  EXPECT_EQ(proposed("whole", 1), "whole");
  EXPECT_EQ(error_of([&] { proposed("t=block:4", 11); }).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::sets
