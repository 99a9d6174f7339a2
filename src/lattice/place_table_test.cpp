// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/site_places.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <limequat/error.hpp>

#include "support/error_of.hpp"

namespace lq::lattice {
namespace {

using Table = std::vector<std::uint64_t>;

TEST(PlaceTable, NeedsMemoryUpToItsLastPlace) {
  EXPECT_EQ(places_needed(Table{2, 0, 1}, 3), 3u);
  EXPECT_EQ(places_needed(Table{7, 100, 3}, 3), 101u);
  EXPECT_EQ(places_needed(Table{1, 0, 9, 9}, 2), 2u);  // what lies after is not looked at
  EXPECT_EQ(places_needed(Table{}, 0), 0u);
}

TEST(PlaceTable, ThatIsNoneIsToldByItsEntry) {
  const auto sentence = [](const Table& table, std::uint64_t entries) {
    const Error error = testing::error_of([&] { places_needed(table, entries); });
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return std::string(error.what());
  };
  EXPECT_NE(sentence({0, 1}, 3).find("has 2 entries, but 3 are needed"), std::string::npos);
  EXPECT_NE(sentence({4, 1, 4}, 3).find("has place 4 twice, the second time in entry 2"), std::string::npos);
  EXPECT_NE(sentence({0, static_cast<std::uint64_t>(-1)}, 2).find("in entry 1; expected less than 128"),
            std::string::npos);
}

}  // namespace
}  // namespace lq::lattice
