// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites in an MPI_File of the caller's. The file is checked without MPI: site k of the lattice lies at offset + k *
// site bytes, its numbers big-endian; nothing else is touched.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/node_cache.hpp>
#include <limequat/storage.hpp>

#include "mpi/harness.hpp"
#include "support/contents.hpp"

namespace lq {
namespace {

using testing::same_error_of;
using testing::SharedDirectory;
using testing::world_rank;

constexpr std::size_t numbers = 18, site_bytes = 8 * numbers, offset = 1001, behind = 77;
const Extents lattice{8, 4, 2, 8};
constexpr std::size_t sites = 8 * 4 * 2 * 8, file_bytes = offset + sites * site_bytes + behind;

double number_of(std::size_t site, std::size_t n) { return static_cast<double>(site * 1000 + n) - 77777.5; }

std::vector<double> values_of(const Grid& grid) {
  std::vector<double> values;
  const Box& mine = grid.local_box();
  const auto upper = [&](int d) { return mine.lower[d] + mine.extents[d]; };
  if (grid.local_volume() == 0) return values;
  for (std::int64_t t = mine.lower[3]; t < upper(3); ++t)
    for (std::int64_t z = mine.lower[2]; z < upper(2); ++z)
      for (std::int64_t y = mine.lower[1]; y < upper(1); ++y)
        for (std::int64_t x = mine.lower[0]; x < upper(0); ++x)
          for (std::size_t n = 0; n < numbers; ++n)
            values.push_back(number_of(static_cast<std::size_t>(x + 8 * (y + 4 * (z + 2 * t))), n));
  return values;
}

// x is cut first, so that rows are short and ranks exchange sites.
Grid cut_grid() {
  const int ranks = testing::world_size();
  const std::int64_t x = ranks % 2 == 0 ? 2 : 1;
  return mpi::grid(lattice, MPI_COMM_WORLD, {.processes = Extents{x, 1, 1, ranks / x}});
}

class MpiStorage : public ::testing::TestWithParam<Strategy> {
 protected:
  MpiStorage() {
    make_file(file_bytes);
    MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file_);
  }
  ~MpiStorage() override { MPI_File_close(&file_); }

  void make_file(std::size_t bytes) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) std::ofstream(path_, std::ios::binary) << std::string(bytes, 'U');
    MPI_Barrier(MPI_COMM_WORLD);
  }
  static SiteOptions options() { return {.route = {.strategy = GetParam(), .chunk_bytes = 4096}}; }
  static FieldSpec spec() { return generic_spec(Precision::double_, numbers, false); }
  static Payload payload() { return payload_at(offset, spec(), lattice); }
  Report write_all(Storage& storage, const Grid& grid) {
    const std::vector<double> values = values_of(grid);
    const Report report = write_sites(storage, payload(), grid, field_in(values, spec()), options());
    MPI_Barrier(MPI_COMM_WORLD);
    return report;
  }

  SharedDirectory directory_;
  std::string path_ = directory_ / "mine";
  MPI_File file_ = MPI_FILE_NULL;
};

void expect_layout(const std::string& path) {
  const std::string bytes = lq::testing::contents(path);
  ASSERT_EQ(bytes.size(), file_bytes);
  for (std::size_t site = 0; site < sites; ++site) {
    for (std::size_t n = 0; n < numbers; ++n) {
      std::uint64_t bits = 0;
      for (std::size_t b = 0; b < 8; ++b) {
        bits = bits << 8 | static_cast<unsigned char>(bytes[offset + site * site_bytes + n * 8 + b]);
      }
      ASSERT_EQ(std::bit_cast<double>(bits), number_of(site, n)) << "site " << site;
    }
  }
  EXPECT_EQ(bytes.substr(0, offset), std::string(offset, 'U'));
  EXPECT_EQ(bytes.substr(file_bytes - behind), std::string(behind, 'U'));
}

TEST_P(MpiStorage, HoldsSitesAtTheirPlacesAndNothingElse) {
  const Grid grid = cut_grid();
  const auto storage = mpi::storage(file_, path_);
  const Report report = write_all(*storage, grid);
  EXPECT_EQ(report.strategy, GetParam());
  EXPECT_EQ(report.bytes, sites * site_bytes);
  if (world_rank() == 0) expect_layout(path_);
  std::vector<double> back(values_of(grid).size());
  const Report read = read_sites(*storage, payload(), grid, field_in(back, spec()), options());
  EXPECT_EQ(back, values_of(grid));
  EXPECT_EQ(read.checksum, report.checksum);
}

TEST_P(MpiStorage, ThatEndsEarlyIsTruncatedOnAllRanks) {
  const Grid grid = cut_grid();
  make_file(offset + sites * site_bytes / 2);
  const auto storage = mpi::storage(file_, path_);
  std::vector<double> back(values_of(grid).size());
  const Error error = same_error_of([&] { read_sites(*storage, payload(), grid, field_in(back, spec()), options()); });
  EXPECT_EQ(error.code(), Code::truncated);
  EXPECT_EQ(error.facts().path, path_);
}

TEST_P(MpiStorage, LeavesTheFileAsItsOwnerHasIt) {
  MPI_File_set_errhandler(file_, MPI_ERRORS_ARE_FATAL);
  MPI_File_seek(file_, 123, MPI_SEEK_SET);
  const Grid grid = cut_grid();
  write_all(*mpi::storage(file_), grid);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_get_errhandler(file_, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
  MPI_Offset position = 0;
  MPI_File_get_position(file_, &position);
  EXPECT_EQ(position, 123);
  MPI_File_set_errhandler(file_, MPI_ERRORS_RETURN);
}

INSTANTIATE_TEST_SUITE_P(By, MpiStorage,
                         ::testing::Values(Strategy::direct, Strategy::shared, Strategy::pull, Strategy::messages),
                         [](const auto& strategy) { return std::string(name(strategy.param)); });

class MpiStorageOfABadFile : public MpiStorage {};
INSTANTIATE_TEST_SUITE_P(By, MpiStorageOfABadFile, ::testing::Values(Strategy::direct));

TEST_P(MpiStorageOfABadFile, IsRefusedWhileTheFileHasAView) {
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_BYTE, 0, 2, &every_other);
  MPI_Type_commit(&every_other);
  const auto refused = [&](MPI_Offset displacement, MPI_Datatype element, MPI_Datatype pattern) {
    MPI_File_set_view(file_, displacement, element, pattern, "native", MPI_INFO_NULL);
    return same_error_of([&] { mpi::storage(file_, path_); }).code() == Code::wrong_state;
  };
  EXPECT_TRUE(refused(0, MPI_BYTE, every_other));
  EXPECT_TRUE(refused(100, MPI_BYTE, MPI_BYTE));
  EXPECT_TRUE(refused(0, MPI_DOUBLE, MPI_DOUBLE));
  EXPECT_FALSE(refused(0, MPI_BYTE, MPI_BYTE));
  EXPECT_FALSE(refused(0, MPI_CHAR, MPI_CHAR));
  MPI_Type_free(&every_other);
}

TEST_P(MpiStorageOfABadFile, IsRefusedWithoutAFile) {
  EXPECT_EQ(same_error_of([] { mpi::storage(MPI_FILE_NULL); }).code(), Code::invalid_argument);
}

TEST_P(MpiStorageOfABadFile, ReportsTheErrorsOfTheFile) {
  MPI_File read_only = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &read_only);
  MPI_File_set_errhandler(read_only, MPI_ERRORS_ARE_FATAL);
  const Grid grid = cut_grid();
  const auto storage = mpi::storage(read_only, path_);
  const Error error = same_error_of([&] { write_all(*storage, grid); });
  EXPECT_NE(error.code(), Code::ok);
  EXPECT_EQ(error.facts().path, path_);
  EXPECT_EQ(std::string(error.what()).rfind(path_ + ": cannot write ", 0), 0U) << error.what();
  const Error too_far = same_error_of([&] { storage->write_at(~std::uint64_t{0} - 10, {}); });
  EXPECT_EQ(too_far.code(), Code::too_large);
  MPI_File_close(&read_only);
}

TEST_P(MpiStorageOfABadFile, IsRefusedToThreadsThatMayNotCallMpi) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) GTEST_SKIP() << "every thread may call MPI here";
  const auto storage = mpi::storage(file_, path_);
  Code code = Code::ok;
  std::thread([&] {
    std::byte byte{};
    try {
      storage->read_at(0, {&byte, 1});
    } catch (const Error& error) {
      code = error.code();
    }
  }).join();
  EXPECT_EQ(code, Code::wrong_state);
}

// Processes of one node, each of which wants all of the file.
TEST(NodeCacheOverMpi, AFileIsReadOnceForAllOfANode) {
  const SharedDirectory directory;
  const std::string path = directory / "shared";
  std::string expected(500'001, ' ');
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<char>(i * i % 253);
  if (world_rank() == 0) std::ofstream(path, std::ios::binary) << expected;
  MPI_Barrier(MPI_COMM_WORLD);
  const NodeCache cache = [&] {
    NodeCache made(path, mpi::communicator(), {.bytes = std::uint64_t{16} << 20, .block_bytes = 65536});
    std::string found(expected.size(), ' ');
    const std::size_t first = expected.size() / static_cast<std::size_t>(testing::world_size()) *
                              static_cast<std::size_t>(world_rank());  // each begins somewhere else
    const auto bytes = std::as_writable_bytes(std::span(found));
    EXPECT_EQ(made.read_at(first, bytes.subspan(first)), expected.size() - first);
    EXPECT_EQ(made.read_at(0, bytes.first(first)), first);
    EXPECT_TRUE(found == expected);
    return made;
  }();
  MPI_Barrier(MPI_COMM_WORLD);
  const NodeCacheCounts counts = cache.counts();
  if (counts.memory_bytes == 0) GTEST_SKIP() << "this system has no memory to share";
  EXPECT_EQ(counts.bytes_read, expected.size());
  EXPECT_EQ(counts.bytes_given, expected.size() * static_cast<std::size_t>(testing::world_size()));
}

}  // namespace
}  // namespace lq
