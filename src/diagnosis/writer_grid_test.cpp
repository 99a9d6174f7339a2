// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/diagnose.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>

namespace lq::diagnosis {
namespace {

// Sites as a program writes them whose rank (px, py, pz, pt) sends its block to the end of what is there, by loops; and
// the checksum of the whole lattice by its definition.
struct WrittenByRanks {
  std::vector<std::uint32_t> crcs;
  Checksum sums;

  WrittenByRanks(const std::array<int, 4>& lattice, const std::array<int, 4>& grid, bool t_fastest) {
    std::mt19937 random(7);
    std::array<int, 4> p{};
    using Order = std::array<std::size_t, 4>;
    const Order loops = t_fastest ? Order{0, 1, 2, 3} : Order{3, 2, 1, 0};  // slowest first
    for (p[loops[0]] = 0; p[loops[0]] < grid[loops[0]]; ++p[loops[0]]) {
      for (p[loops[1]] = 0; p[loops[1]] < grid[loops[1]]; ++p[loops[1]]) {
        for (p[loops[2]] = 0; p[loops[2]] < grid[loops[2]]; ++p[loops[2]]) {
          for (p[loops[3]] = 0; p[loops[3]] < grid[loops[3]]; ++p[loops[3]]) write_block(lattice, grid, p, random);
        }
      }
    }
  }

  void write_block(const std::array<int, 4>& lattice, const std::array<int, 4>& grid, const std::array<int, 4>& p,
                   std::mt19937& random) {
    std::array<int, 4> l{};
    for (std::size_t d = 0; d < 4; ++d) l[d] = lattice[d] / grid[d];
    for (int t = 0; t < l[3]; ++t) {
      for (int z = 0; z < l[2]; ++z) {
        for (int y = 0; y < l[1]; ++y) {
          for (int x = 0; x < l[0]; ++x) {
            const int gx = p[0] * l[0] + x, gy = p[1] * l[1] + y, gz = p[2] * l[2] + z, gt = p[3] * l[3] + t;
            const int rank = gx + lattice[0] * (gy + lattice[1] * (gz + lattice[2] * gt));
            crcs.push_back(static_cast<std::uint32_t>(random()));
            sums.suma ^= std::rotl(crcs.back(), rank % 29);
            sums.sumb ^= std::rotl(crcs.back(), rank % 31);
          }
        }
      }
    }
  }
};

TEST(WriterGrid, IsFoundFromTheSums) {
  std::uint64_t tried = 0;
  for (const int threads : {1, 2, 3, 7}) {
    comm::Team team(threads);
    const WrittenByRanks file({6, 4, 8, 12}, {3, 1, 4, 2}, false);
    const FoundOrder found = find_order(file.crcs, {6, 4, 8, 12}, file.sums, 60, team);
    ASSERT_TRUE(found.answer.is_found);
    EXPECT_EQ(found.answer.processes, (Coord{3, 1, 4, 2}));
    if (threads == 1) tried = found.answer.tried;
    EXPECT_EQ(found.answer.tried, tried);
  }
  comm::Team team(2);
  for (const bool t_fastest : {false, true}) {
    const WrittenByRanks file({6, 4, 8, 12}, {3, 1, 4, 2}, t_fastest);
    const FoundOrder found = find_order(file.crcs, {6, 4, 8, 12}, file.sums, 60, team);
    ASSERT_TRUE(found.answer.is_found);
    // Ranks that follow each other in t write what one rank would that has all their slices.
    EXPECT_EQ(found.answer.processes, t_fastest ? (Coord{3, 1, 4, 1}) : (Coord{3, 1, 4, 2}));
    EXPECT_EQ(found.answer.ranks_last_fastest, t_fastest);
    EXPECT_EQ(checksum_of(file.crcs, found.map), file.sums);
  }
}

TEST(WriterGrid, OfOneSequenceIsNone) {
  // t fastest, then z, y, x.
  std::vector<std::uint32_t> crcs;
  Checksum sums;
  for (int x = 0; x < 4; ++x) {
    for (int y = 0; y < 6; ++y) {
      for (int t = 0; t < 300; ++t) {
        crcs.push_back(static_cast<std::uint32_t>(crcs.size() * 2654435761U));
        const int rank = x + 4 * (y + 6 * t);
        sums.suma ^= std::rotl(crcs.back(), rank % 29);
        sums.sumb ^= std::rotl(crcs.back(), rank % 31);
      }
    }
  }
  comm::Team alone(1);
  const FoundOrder found = find_order(crcs, {4, 6, 300}, sums, 60, alone);
  ASSERT_TRUE(found.answer.is_found);
  EXPECT_EQ(found.answer.sites, (SiteOrder{2, 1, 0}));
  EXPECT_EQ(found.answer.processes.size(), 0);
}

TEST(WriterGrid, ThatDoesNotExistIsNotFound) {
  const WrittenByRanks file({4, 4, 4, 8}, {2, 1, 2, 4}, false);
  Checksum other = file.sums;
  other.sumb ^= 1;
  comm::Team team(3);
  const FoundOrder found = find_order(file.crcs, {4, 4, 4, 8}, other, 60, team);
  EXPECT_FALSE(found.answer.is_found);
  // 24 orders of the dimensions; grids of 3 x 3 x 3 x 4 less one, ranks either way where that is a difference: not for
  // the 2 + 2 + 2 + 3 with one dimension that is divided.
  EXPECT_EQ(found.answer.tried, 24U + 2 * 107 - 9);
}

// Each digit of a sequence counts, whether it ends within a run or not.
TEST(SiteMap, NumbersEverySiteOnce) {
  for (const SiteMap& map : {sequence_of({3, 4, 5}, {1, 2, 0}), processes_of({6, 4, 5}, {2, 4, 1}, true)}) {
    for (std::uint64_t n = 0; n < volume(map.extents); ++n) {
      EXPECT_EQ(number_of(map, site_of(map, n)), n);
    }
  }
}

// By loops over the lattice, z fastest, with sites of one parity before those of the other; also where rows are odd.
TEST(SiteMap, HasSitesOfOneParityInFront) {
  for (const Extents& extents : {Extents{4, 6, 2}, Extents{2, 4, 3}, Extents{3, 5, 3}, Extents{4, 2, 1}}) {
    for (const Parity parity : {Parity::even_first, Parity::odd_first}) {
      const SiteMap map = sequence_of(extents, {2, 0, 1}, parity);
      std::uint64_t number = 0;
      for (const int sum : {0, 1}) {
        for (std::int64_t y = 0; y < extents[1]; ++y) {
          for (std::int64_t x = 0; x < extents[0]; ++x) {
            for (std::int64_t z = 0; z < extents[2]; ++z) {
              if ((x + y + z) % 2 != (parity == Parity::even_first ? sum : 1 - sum)) continue;
              EXPECT_EQ(number_of(map, Coord{x, y, z}), number);
              EXPECT_EQ(site_of(map, number), (Coord{x, y, z}));
              ++number;
            }
          }
        }
      }
      EXPECT_EQ(number, volume(extents));
    }
  }
}

}  // namespace
}  // namespace lq::diagnosis
