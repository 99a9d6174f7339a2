// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptions as text: what they say, and what is told of those that say nothing.
#include <limequat/memory.hpp>

#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "support/error_of.hpp"

namespace lq {
namespace {

using testing::error_of;

TEST(MemoryLayoutText, SaysEveryMember) {
  const MemoryLayout layout = memory_layout(
      "order=3,0,1,2 parity=odd-first links=outermost directions=1,0,3,2 matrix=columns block=6  padding=17");
  EXPECT_EQ(layout.order, (SiteOrder{3, 0, 1, 2}));
  EXPECT_EQ(layout.parity, ParityOrder::odd_first);
  EXPECT_EQ(layout.links, LinkPlaces::outermost);
  EXPECT_EQ(layout.directions, (std::vector<int>{1, 0, 3, 2}));
  EXPECT_TRUE(layout.columns_first);
  EXPECT_EQ(layout.block, 6u);
  EXPECT_EQ(layout.padding, 17u);
  EXPECT_EQ(memory_layout("halo=1,2,0,1").halo, (std::vector<std::uint64_t>{1, 2, 0, 1}));
  EXPECT_EQ(memory_layout("places=of-links").places, PlaceTable::of_links);
  EXPECT_EQ(memory_layout("places=of-sites").places, PlaceTable::of_sites);
  EXPECT_EQ(memory_layout("lanes=1,1,2,4").lanes, (std::vector<std::uint64_t>{1, 1, 2, 4}));
}

TEST(MemoryLayoutText, OfEveryPresetReadsBack) {
  for (const MemoryPreset& preset : memory_presets()) {
    const MemoryLayout layout = memory_layout(preset.name);
    EXPECT_FALSE(layout.is_plain()) << preset.name;
    EXPECT_EQ(to_string(layout), preset.words);
    EXPECT_EQ(memory_layout(to_string(layout)), layout);
  }
  EXPECT_TRUE(memory_layout(" ").is_plain());
  EXPECT_EQ(to_string(MemoryLayout{}), "");
}

TEST(MemoryLayoutText, ChangesAPreset) {
  const MemoryLayout layout = memory_layout("quda_native block=4 padding=64");
  EXPECT_EQ(layout.parity, ParityOrder::even_first);
  EXPECT_EQ(layout.block, 4u);
  EXPECT_EQ(layout.padding, 64u);
}

TEST(MemoryLayoutText, GoesWithATable) {
  const std::vector<std::uint64_t> table{1, 0};
  const MemoryLayout layout = memory_layout("places=of-sites", table);
  EXPECT_EQ(layout.table, table.data());
  EXPECT_EQ(layout.table_entries, 2u);
  EXPECT_EQ(layout.places, PlaceTable::of_sites);
}

TEST(MemoryLayoutText, NamesTheWordThatIsNone) {
  EXPECT_NE(std::string(error_of([] { memory_layout("quda"); }).what()).find("quda_host, quda_host_spinor"),
            std::string::npos);
  for (const char* word : {"parity=both", "halo=1,-1", "order=", "block=many", "lanes=1,,2", "strides=3",
                           "order=0,1,2,3,4,5,6,7,8", "places=here", "padding=99999999999999999999"}) {
    const Error error = error_of([&] { memory_layout(word); });
    EXPECT_EQ(error.code(), Code::invalid_argument) << word;
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lq
