// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Against the sentence that describes the layout, coordinate by coordinate.
#include "lattice/tile_map.hpp"

#include <gtest/gtest.h>

#include <set>

#include <limequat/error.hpp>

#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

Payload payload_on(const Extents& extents, SiteOrder order) {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, extents.size());
  payload.spec.numbers = 18 * static_cast<std::uint64_t>(extents.size());
  payload.extents = extents;
  payload.stored = whole(extents);
  payload.order = std::move(order);
  payload.at_odd_points = true;
  return payload;
}

TEST(OddPoints, HoldTheLinksOfBothDirectionsOfEachOddSite) {
  Payload payload = payload_on({2, 4, 6, 2}, {2, 1, 0, 3});
  for (const int mu : {3, 0, 1, 2}) {
    for (std::uint32_t k = 0; k < 18; ++k) payload.codec.order.push_back(static_cast<std::uint32_t>(mu) * 18 + k);
  }
  const OddPoints points(payload);
  EXPECT_EQ(points.link_bytes(), 144U);
  const std::vector<int> direction{3, 0, 1, 2};
  std::set<std::uint64_t> places;
  OddPoints::Walk walk(points, 5);
  for (std::uint64_t site = 5; site < payload.stored.volume(); ++site, walk.advance()) {
    const Coord x = site_at(site, payload.stored, payload.order);
    for (int k = 0; k < 4; ++k) {
      const int mu = direction[static_cast<std::size_t>(k)];
      Coord odd = x;
      const bool is_odd = (x[0] + x[1] + x[2] + x[3]) % 2 != 0;
      if (!is_odd) odd[mu] = (odd[mu] + 1) % payload.extents[mu];
      const std::uint64_t record = site_number(odd, payload.stored, payload.order) / 2;
      EXPECT_EQ(walk.place(k), record * 8 + static_cast<std::uint64_t>(2 * k + (is_odd ? 0 : 1))) << site << " " << k;
      EXPECT_TRUE(places.insert(walk.place(k)).second);
    }
  }
  EXPECT_EQ(places.size(), 4 * (payload.stored.volume() - 5));
}

TEST(OddPoints, HaveLinksOfWhateverNumbers) {
  Payload momenta = payload_on({2, 2, 2, 2}, {});
  momenta.spec = generic_spec(Precision::double_, 32, false);
  EXPECT_EQ(OddPoints(momenta).link_bytes(), 64U);
  momenta.spec.numbers = 30;
  EXPECT_THROW(OddPoints{momenta}, Error);
}

// Each block has its own odd sites, with z fastest, in a file of its own; be it one slice thick.
TEST(OddPoints, OfBlocksLieInTheirTiles) {
  for (const Extents& block : {Extents{2, 2, 2, 2}, Extents{1, 2, 4, 1}, Extents{4, 1, 2, 2}}) {
    Payload payload = payload_on({4, 2, 4, 2}, {2, 1, 0, 3});
    payload.block = block;
    payload.tile_sites = volume(block);
    Extents counts = payload.extents;
    for (int d = 0; d < 4; ++d) counts[d] /= block[d];
    for (std::uint64_t k = 0; k < volume(counts); ++k) {
      payload.tiles.push_back({static_cast<int>(k), 10000 * k + 56, volume(block) * 576});
    }
    for (std::uint64_t site = 0; site < payload.stored.volume(); ++site) {
      const Coord x = site_at(site, payload.stored, payload.order);
      for (int mu = 0; mu < 4; ++mu) {
        Coord odd = x;
        const bool is_odd = (x[0] + x[1] + x[2] + x[3]) % 2 != 0;
        if (!is_odd) odd[mu] = (odd[mu] + 1) % payload.extents[mu];
        Coord of_block = odd, within = odd;
        for (int d = 0; d < 4; ++d) {
          of_block[d] /= block[d];
          within[d] %= block[d];
        }
        const std::uint64_t tile = site_number(of_block, whole(counts), payload.order);
        const std::uint64_t record = site_number(within, whole(block), payload.order) / 2;
        const std::uint64_t place = record * 8 + static_cast<std::uint64_t>(2 * mu + (is_odd ? 0 : 1));
        EXPECT_EQ(offset_of(payload, site, 144 * static_cast<std::uint64_t>(mu) + 8),
                  10000 * tile + 56 + 144 * place + 8);
      }
    }
  }
  Payload payload = payload_on({4, 2, 4, 2}, {2, 1, 0, 3});
  payload.block = {4, 2, 1, 2};
  EXPECT_THROW(OddPoints{payload}, Error);
}

TEST(OddPoints, NeedEvenExtentsAndWholeFieldsOfLinks) {
  EXPECT_THROW(OddPoints(payload_on({2, 3, 2, 2}, {})), Error);
  Payload spinor = payload_on({2, 2, 2, 2}, {});
  spinor.spec = spinor_spec(Precision::double_);
  EXPECT_THROW(OddPoints{spinor}, Error);
}

}  // namespace
}  // namespace lq::lattice
