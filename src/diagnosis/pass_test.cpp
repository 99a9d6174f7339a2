// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a walk over the sites sees, with any number of threads: damage that was put into unit links, and the CRC-32 of
// each site.
#include "diagnosis/pass.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <limequat/error.hpp>

#include "kernels/crc32.hpp"
#include "support/error_of.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t site_bytes = 576;
const Extents walked_extents{8, 8, 8, 12};  // more than three blocks of a mebibyte
const std::uint64_t walked_sites = volume(walked_extents);

std::vector<double> unit_links() {
  std::vector<double> unit(72);
  for (std::size_t link = 0; link < 4; ++link) {
    for (std::size_t i = 0; i < 3; ++i) unit[link * 18 + i * 8] = 1;
  }
  return unit;
}

class Walked : public ::testing::Test {
 protected:
  Walked() {
    for (std::uint64_t site = 0; site < walked_sites; ++site) put(site, unit_links());
  }

  void put(std::uint64_t site, const std::vector<double>& numbers) {
    encode(encoding_, numbers,
           base::MutableBytes(bytes_).subspan(static_cast<std::size_t>(site * site_bytes), site_bytes));
  }

  Pass pass(int threads) {
    base::MemorySource file(bytes_, "links");
    comm::Team team(threads);
    return walk({.site_bytes = site_bytes, .sites = walked_sites, .encoding = encoding_, .ordering = ordering_}, file,
                team, {});
  }

  Encoding encoding_;
  Ordering ordering_{sequence_of(walked_extents, {0, 1, 2, 3}), {0, 1, 2, 3}, {0, 1, 2, 3}};
  std::vector<std::byte> bytes_ = std::vector<std::byte>(static_cast<std::size_t>(walked_sites * site_bytes));
};

TEST_F(Walked, SitesAreSeenOnceWhateverTheThreads) {
  for (const std::uint64_t site : {100U, 6000U}) put(site, std::vector<double>(72));
  std::vector<double> numbers = unit_links();
  numbers[5] = std::numeric_limits<double>::quiet_NaN();
  put(3000, numbers);
  numbers.assign(72, 0.5);
  for (const std::uint64_t site : {2000U, 4000U, 5999U}) put(site, numbers);
  for (const int threads : {1, 2, 3, 7}) {
    const Pass found = pass(threads);
    ASSERT_EQ(found.crcs.size(), walked_sites);
    for (std::uint64_t site = 0; site < walked_sites; ++site) {
      const auto at = static_cast<std::size_t>(site);
      ASSERT_EQ(found.crcs[at], kernels::crc32(0, base::Bytes(bytes_).subspan(at * site_bytes, site_bytes))) << site;
    }
    EXPECT_EQ(found.zeros.sites, 2U);
    EXPECT_EQ(found.zeros.first, 100U);
    EXPECT_EQ(found.zeros.last, 6000U);
    EXPECT_EQ(found.zeros.slices, (std::map<std::int64_t, std::uint64_t>{{0, 1}, {11, 1}}));
    EXPECT_EQ(found.not_finite.sites, 1U);
    EXPECT_EQ(found.not_finite.first, 3000U);
    EXPECT_EQ(found.not_unitary.sites, 3U);
    EXPECT_EQ(found.not_unitary.first, 2000U);
    EXPECT_EQ(found.not_unitary.last, 5999U);
  }
}

TEST_F(Walked, AFileThatBecomesShorterIsAnError) {
  bytes_.resize(bytes_.size() - 1);
  for (const int threads : {1, 3}) {
    EXPECT_EQ(testing::error_of([&] { pass(threads); }).code(), Code::io);
  }
}

}  // namespace
}  // namespace lq::diagnosis
