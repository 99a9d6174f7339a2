// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lattices: which byte goes where, on any grid, by any mapping, now or in the background.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/lemon/fixture.hpp"

namespace lq::testing {
namespace {

struct Case {
  std::vector<int> extents;
  std::vector<int> mapping;
  MPI_Offset site_bytes = 8;
};

class LemonLattice : public Lemon, public ::testing::WithParamInterface<bool> {
 protected:
  static bool in_background() { return GetParam(); }
  static std::uint64_t bytes_of(const Case& one) {
    return sites_of(one.extents) * static_cast<std::uint64_t>(one.site_bytes);
  }

  static int write(LemonWriter* writer, std::string& block, const Case& one) {
    if (!in_background()) {
      return same(lemonWriteLatticeParallelMapped(writer, block.data(), one.site_bytes, one.extents.data(),
                                                  one.mapping.data()));
    }
    const int code = same(lemonWriteLatticeParallelNonBlockingMapped(writer, block.data(), one.site_bytes,
                                                                     one.extents.data(), one.mapping.data()));
    return code != LEMON_SUCCESS ? code : same(lemonFinishWriting(writer));
  }
  static int read(LemonReader* reader, std::string& block, const Case& one) {
    if (!in_background()) {
      return same(
          lemonReadLatticeParallelMapped(reader, block.data(), one.site_bytes, one.extents.data(), one.mapping.data()));
    }
    const int code = same(lemonReadLatticeParallelNonBlockingMapped(reader, block.data(), one.site_bytes,
                                                                    one.extents.data(), one.mapping.data()));
    return code != LEMON_SUCCESS ? code : same(lemonFinishReading(reader));
  }

  // One record on one grid, its bytes looked at, and read again.
  void go_round(const Cartesian& comm, const Case& one) {
    const std::string block = block_of(comm, one.extents, one.mapping, static_cast<std::uint64_t>(one.site_bytes));
    LemonWriter* writer = lemonCreateWriter(&create(), comm);
    EXPECT_EQ(write_header(writer, "lattice", static_cast<std::int64_t>(bytes_of(one))), LEMON_SUCCESS);
    std::string source = block;
    EXPECT_EQ(write(writer, source, one), LEMON_SUCCESS);
    EXPECT_EQ(source, block) << "the source is left alone";
    EXPECT_EQ(writer->pos, static_cast<MPI_Offset>(bytes_of(one)));
    EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_SUCCESS);
    lemonDestroyWriter(writer);
    const std::string expected =
        record_bytes("lattice", lattice_bytes(sites_of(one.extents), static_cast<std::uint64_t>(one.site_bytes)));
    EXPECT_TRUE(contents() == expected) << "mapping " << one.mapping[0] << one.mapping.back() << ", grid "
                                        << comm.ranks()[0];

    LemonReader* reader = lemonCreateReader(&open(MPI_MODE_RDONLY), comm);
    EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
    std::string back(block.size(), '?');
    EXPECT_EQ(read(reader, back, one), LEMON_SUCCESS);
    EXPECT_TRUE(back == block);
    EXPECT_EQ(lemonGetReaderPointer(reader), static_cast<MPI_Offset>(bytes_of(one)));
    EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_EOF);
    lemonDestroyReader(reader);
  }
};

// All grids of the ranks there are in the given number of dimensions.
std::vector<std::vector<int>> grids(int ranks, int dimensions) {
  if (dimensions == 1) return {{ranks}};
  std::vector<std::vector<int>> all;
  for (int first = 1; first <= ranks; ++first) {
    if (ranks % first != 0) continue;
    for (std::vector<int> rest : grids(ranks / first, dimensions - 1)) {
      rest.insert(rest.begin(), first);
      all.push_back(rest);
    }
  }
  return all;
}

TEST_P(LemonLattice, LiesAsTheFormatSaysOnAnyGrid) {
  int mapping_number = 0;
  for (const std::vector<int>& grid : grids(world_size(), 4)) {
    const Cartesian comm(grid);
    std::vector<int> mapping{0, 1, 2, 3};
    // Two mappings per grid here; all of them in layout_test.py.
    for (int i = 0; i < mapping_number % 24; ++i) std::next_permutation(mapping.begin(), mapping.end());
    mapping_number += 7;
    go_round(comm, {{8, 8, 8, 8}, mapping, 8});
    go_round(comm, {{8, 8, 8, 8}, {0, 3, 2, 1}, 5});
  }
}

TEST_P(LemonLattice, ShortRowsOfLargeFieldsAreExchanged) {
  int number = 0;
  for (const std::vector<int>& grid : grids(world_size(), 4)) {
    if (grid[3] == 1 && world_size() > 1) continue;
    if (world_size() > 2 && ++number % 4 != 1) continue;  // there are many
    const Cartesian comm(grid);
    go_round(comm, {{8, 8, 8, 8}, {0, 1, 2, 3}, 576});
    go_round(comm, {{8, 8, 16, 16}, {3, 1, 0, 2}, 36});
    go_round(comm, {{16, 16, 16, 16}, {0, 1, 2, 3}, 18});  // two sites are a multiple of four bytes
    go_round(comm, {{16, 16, 16, 16}, {0, 1, 2, 3}, 17});
  }
}

TEST_P(LemonLattice, HasAnyNumberOfDimensions) {
  for (const int dimensions : {1, 2, 3, 5, 6, 10}) {
    const Cartesian comm = Cartesian::of(dimensions);
    std::vector<int> mapping(static_cast<std::size_t>(dimensions));
    std::iota(mapping.rbegin(), mapping.rend(), 0);
    std::vector<int> extents = comm.extents(2);
    if (dimensions == 10) extents.back() = extents.front() = comm.ranks().front() * 3;
    if (dimensions == 10) extents.back() = comm.ranks().back();
    go_round(comm, {extents, mapping, 12});
  }
}

TEST_P(LemonLattice, UnmappedIsInTheOrderOfTheCommunicator) {
  const Cartesian comm = Cartesian::of(5);
  const std::vector<int> extents = comm.extents(2), order{0, 1, 2, 3, 4};
  std::string block = block_of(comm, extents, order, 16);
  LemonWriter* writer = lemonCreateWriter(&create(), comm);
  write_header(writer, "lattice", static_cast<std::int64_t>(sites_of(extents) * 16));
  EXPECT_EQ(same(in_background() ? lemonWriteLatticeParallelNonBlocking(writer, block.data(), 16, extents.data())
                                 : lemonWriteLatticeParallel(writer, block.data(), 16, extents.data())),
            LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_SUCCESS) << "a call that comes later waits";
  lemonDestroyWriter(writer);
  EXPECT_TRUE(contents() == record_bytes("lattice", lattice_bytes(sites_of(extents), 16)));
  LemonReader* reader = lemonCreateReader(&open(MPI_MODE_RDONLY), comm);
  lemonReaderNextRecord(reader);
  std::string back(block.size(), '?');
  EXPECT_EQ(same(in_background() ? lemonReadLatticeParallelNonBlocking(reader, back.data(), 16, extents.data())
                                 : lemonReadLatticeParallel(reader, back.data(), 16, extents.data())),
            LEMON_SUCCESS);
  EXPECT_EQ(same(lemonReaderCloseRecord(reader)), LEMON_SUCCESS);
  EXPECT_TRUE(back == block);
  lemonDestroyReader(reader);
}

TEST_P(LemonLattice, NothingIsAnswer) {
  const Cartesian comm = Cartesian::of(4);
  LemonWriter* writer = lemonCreateWriter(&create(), comm);
  write_header(writer, "lattice", 0);
  std::string none;
  EXPECT_EQ(write(writer, none, {{0, 8, 8, 8}, {0, 1, 2, 3}, 8}), LEMON_SUCCESS);
  EXPECT_EQ(write(writer, none, {comm.extents(2), {0, 1, 2, 3}, 0}), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_SUCCESS);
  lemonDestroyWriter(writer);
  EXPECT_EQ(contents(), record_bytes("lattice", ""));
}

TEST_P(LemonLattice, BytesBeyond4GiBLieWhereTheyShould) {
  constexpr std::int64_t length = 6'000'000'000;
  const Cartesian comm = Cartesian::of(4);
  const Case one{comm.extents(4), {0, 3, 2, 1}, 576};
  const auto bytes = static_cast<MPI_Offset>(bytes_of(one));
  std::string block = block_of(comm, one.extents, one.mapping, 576);
  LemonWriter* writer = lemonCreateWriter(&create(), comm);
  EXPECT_EQ(write_header(writer, "sparse", length), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterSeek(writer, bytes, MPI_SEEK_END)), LEMON_SUCCESS);
  EXPECT_EQ(write(writer, block, one), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_SUCCESS);
  EXPECT_EQ(writer->off, 144 + length);
  write_record(writer, "behind", "text");
  lemonDestroyWriter(writer);
  LemonReader* reader = lemonCreateReader(&open(MPI_MODE_RDONLY), comm);
  EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
  EXPECT_EQ(lemonReaderBytes(reader), length);
  EXPECT_EQ(lemonReaderSeek(reader, length - bytes, MPI_SEEK_SET), LEMON_SUCCESS);
  std::string back(block.size(), '?');
  EXPECT_EQ(read(reader, back, one), LEMON_SUCCESS);
  EXPECT_TRUE(back == block);
  EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
  EXPECT_STREQ(lemonReaderType(reader), "behind");
  lemonDestroyReader(reader);
}

INSTANTIATE_TEST_SUITE_P(NowOrLater, LemonLattice, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "background" : "foreground"; });

}  // namespace
}  // namespace lq::testing
