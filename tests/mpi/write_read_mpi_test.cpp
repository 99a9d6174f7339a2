// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The main job over MPI: the file does not depend on who wrote it, and any ranks read it back. The field is a formula
// of the site, so every rank knows what it must find; the file that one process writes alone is the reference.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"
#include "support/contents.hpp"

namespace lq {
namespace {

using testing::same_error_of;
using testing::SharedDirectory;
using testing::world_rank;
using testing::world_size;

template <class T>
using Links = std::array<std::complex<T>, 36>;

const Extents lattice{4, 6, 3, 10};

// A whole number that single precision holds exactly.
double number_of(const Coord& x, int n) {
  std::int64_t site = 0;
  for (int d = x.size(); d-- > 0;) site = site * 97 + x[d];
  return static_cast<double>((site * 7919 + n * 104729) % 8388593 - 4000000);
}

template <class T>
std::vector<Links<T>> links_of(const Box& box, const Coord& shift = Coord::filled(4, 0)) {
  std::vector<Links<T>> all;
  const Coord lower = box.lower;
  const Extents extents = box.extents;
  for (std::int64_t t = 0; t < extents[3]; ++t)
    for (std::int64_t z = 0; z < extents[2]; ++z)
      for (std::int64_t y = 0; y < extents[1]; ++y)
        for (std::int64_t x = 0; x < extents[0]; ++x) {
          const Coord site{lower[0] + x + shift[0], lower[1] + y + shift[1], lower[2] + z + shift[2],
                           lower[3] + t + shift[3]};
          Links<T>& links = all.emplace_back();
          for (int n = 0; n < 36; ++n) {
            links[static_cast<std::size_t>(n)] = {static_cast<T>(number_of(site, 2 * n)),
                                                  static_cast<T>(number_of(site, 2 * n + 1))};
          }
        }
  return all;
}

template <class T = double>
Report write_links(const std::string& path, const Grid& grid, const WriteOptions& options = {}) {
  const auto links = links_of<T>(grid.local_box());
  return write(path, grid, gauge(links), options);
}

template <class T = double>
void expect_links(const std::string& path, const Grid& grid, const ReadOptions& options = {}) {
  std::vector<Links<T>> links(grid.local_volume());
  const Report report = read(path, grid, gauge(links), options);
  const Coord shift = options.region ? options.region->lower : Coord::filled(4, 0);
  EXPECT_EQ(report.status, options.region ? report.status : ChecksumStatus::ok);
  EXPECT_NE(report.status, ChecksumStatus::mismatch);
  EXPECT_TRUE(links == links_of<T>(grid.local_box(), shift)) << path;
}

// Process grids of n ranks over four dimensions, even and uneven on the lattice.
std::vector<Extents> process_grids(int n) {
  std::vector<Extents> all{{1, 1, 1, n}, {n, 1, 1, 1}, {1, n, 1, 1}};
  if (n % 2 == 0) all.push_back({2, 1, 1, n / 2});
  if (n % 2 == 0) all.push_back({1, n / 2, 2, 1});
  if (n % 3 == 0) all.push_back({1, 1, 3, n / 3});
  if (n == 8) all.push_back({2, 2, 1, 2});
  return all;
}

class MpiFiles : public ::testing::Test {
 protected:
  // The file that rank 0 writes alone.
  std::string reference(const WriteOptions& options = {}) {
    const std::string path = directory_ / "reference.ildg";
    WriteOptions again = options;
    again.overwrite = true;
    if (world_rank() == 0) write_links(path, Grid(lattice), again);
    MPI_Barrier(MPI_COMM_WORLD);
    return path;
  }
  std::string path(const std::string& name = "conf.ildg") { return directory_ / name; }
  // Rank 0 looks, because the others may still be writing the next file.
  void expect_same_file(const std::string& a, const std::string& b) {
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(world_rank() != 0 || testing::contents(a) == testing::contents(b)) << a << " and " << b << " differ";
    MPI_Barrier(MPI_COMM_WORLD);
  }
  SharedDirectory directory_;
};

TEST_F(MpiFiles, AreTheSameFromEveryProcessGrid) {
  const std::string expected = reference();
  for (const Extents& processes : process_grids(world_size())) {
    const std::string file = path(to_string(processes) + ".ildg");
    write_links(file, mpi::grid(lattice, MPI_COMM_WORLD, {.processes = processes}), {.overwrite = true});
    expect_same_file(file, expected);
  }
}

TEST_F(MpiFiles, AreTheSameFromAnyNumberOfRanks) {
  const std::string expected = reference();
  for (const int ranks : {1, 2, 3, 4, 6, 8}) {
    if (ranks > world_size()) break;
    const std::string file = path(std::to_string(ranks) + ".ildg");
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() < ranks ? 0 : MPI_UNDEFINED, 0, &part);
    if (part != MPI_COMM_NULL) {
      write_links(file, mpi::grid(lattice, part));
      MPI_Comm_free(&part);
    }
    expect_same_file(file, expected);
  }
}

TEST_F(MpiFiles, AreTheSameWithIdleRanks) {
  if (world_size() < 2) GTEST_SKIP() << "needs a rank to spare";
  const std::string expected = reference();
  const GridOptions last_idle{.processes = Extents{1, 1, 1, world_size() - 1}, .idle_ranks = true};
  write_links(path("a.ildg"), mpi::grid(lattice, MPI_COMM_WORLD, last_idle));
  expect_same_file(path("a.ildg"), expected);
  write_links(path("b.ildg"), mpi::grid(lattice, MPI_COMM_WORLD, {.holds_sites = world_rank() != 0}));
  expect_same_file(path("b.ildg"), expected);
}

TEST_F(MpiFiles, AreTheSameFromCartesianCommunicators) {
  const std::string expected = reference();
  const std::array<SiteOrder, 3> every_axes{SiteOrder{}, SiteOrder{1, 2, 3, 0}, SiteOrder{3, 2, 1, 0}};
  for (std::size_t i = 0; i < every_axes.size(); ++i) {
    std::array<int, 4> dimensions{};
    const std::array<int, 4> periodic{1, 1, 1, 1};
    MPI_Dims_create(world_size(), 4, dimensions.data());
    MPI_Comm cartesian = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 4, dimensions.data(), periodic.data(), 1, &cartesian);
    const Grid grid = mpi::grid(lattice, cartesian, {}, every_axes[i]);
    MPI_Comm_free(&cartesian);
    const std::string file = path(std::to_string(i) + ".ildg");
    write_links(file, grid);
    expect_same_file(file, expected);
    expect_links(file, grid);
  }
}

TEST_F(MpiFiles, AreReadOnEveryProcessGrid) {
  const std::string file = reference();
  for (const Extents& processes : process_grids(world_size())) {
    expect_links(file, mpi::grid(lattice, MPI_COMM_WORLD, {.processes = processes}));
  }
  expect_links(file, mpi::grid(lattice, MPI_COMM_WORLD, {.holds_sites = world_rank() == world_size() - 1}));
}

TEST_F(MpiFiles, ChangePrecisionBothWays) {
  const WriteOptions single{.precision = Precision::single};
  const std::string expected = reference(single);
  const Grid grid = mpi::grid(lattice);
  write_links<double>(path("a.ildg"), grid, single);
  expect_same_file(path("a.ildg"), expected);
  write_links<float>(path("b.ildg"), grid);
  expect_same_file(path("b.ildg"), expected);
  expect_links<double>(path("a.ildg"), grid);
  expect_links<float>(path("a.ildg"), grid);
}

TEST_F(MpiFiles, AreReadInRegions) {
  const std::string file = reference();
  for (const Box& region :
       {Box{{0, 0, 0, 2}, {4, 6, 3, 5}}, Box{{1, 2, 1, 3}, {3, 4, 2, 7}}, Box{{3, 5, 2, 9}, {1, 1, 1, 1}}}) {
    expect_links(file, mpi::grid(region.extents), {.region = region});
  }
}

TEST_F(MpiFiles, ComeFromFunctionsAsWell) {
  const std::string expected = reference();
  const auto fetch = [](const Coord& x, std::span<double, 72> site) {
    for (int n = 0; n < 72; ++n) site[static_cast<std::size_t>(n)] = number_of(x, n);
  };
  write(path(), mpi::grid(lattice), gauge_from<double>(fetch));
  expect_same_file(path(), expected);
}

TEST_F(MpiFiles, HoldSeveralFields) {
  const Grid grid = mpi::grid(lattice);
  const auto links = links_of<double>(grid.local_box());
  Writer file = create(path("two.lime"), grid, {.format = "scidac"});
  file.write("first", gauge(links));
  file.write("second", gauge(links), {{"note", "again"}});
  file.close();
  expect_links(path("two.lime"), grid, {.field = "first"});
  expect_links(path("two.lime"), grid, {.field = "second"});
}

TEST_F(MpiFiles, ThatAreMissingAreNotFoundByAnyone) {
  const Grid grid = mpi::grid(lattice);
  const Error error = same_error_of([&] { expect_links(path("no.ildg"), grid); });
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_EQ(error.facts().path, path("no.ildg"));
}

TEST_F(MpiFiles, OfAnotherLatticeAreRefused) {
  const std::string file = reference();
  const Grid other = mpi::grid({4, 6, 3, 8});
  EXPECT_EQ(same_error_of([&] { expect_links(file, other); }).code(), Code::invalid_argument);
}

TEST_F(MpiFiles, AreNotReplacedUnasked) {
  const std::string file = reference();
  const std::string before = testing::contents(file);
  const Grid grid = mpi::grid(lattice);
  EXPECT_EQ(same_error_of([&] { write_links<float>(file, grid); }).code(), Code::exists);
  EXPECT_TRUE(testing::contents(file) == before);
  MPI_Barrier(MPI_COMM_WORLD);
  write_links<float>(file, grid, {.overwrite = true});
  expect_links<float>(file, grid);
}

TEST_F(MpiFiles, NeedTheSamePathOnAllRanks) {
  if (world_size() < 2) GTEST_SKIP() << "needs someone to disagree with";
  const Grid grid = mpi::grid(lattice);
  const std::string mine = path(world_rank() == world_size() - 1 ? "other.ildg" : "conf.ildg");
  EXPECT_EQ(same_error_of([&] { write_links(mine, grid); }).code(), Code::ranks_disagree);
  EXPECT_EQ(same_error_of([&] { expect_links(mine, grid); }).code(), Code::ranks_disagree);
  EXPECT_FALSE(std::filesystem::exists(path("conf.ildg")));
  EXPECT_FALSE(std::filesystem::exists(path("other.ildg")));
}

TEST_F(MpiFiles, NeedTheSameOptionsOnAllRanks) {
  if (world_size() < 2) GTEST_SKIP() << "needs someone to disagree with";
  const Grid grid = mpi::grid(lattice);
  WriteOptions options;
  if (world_rank() == 1) options.precision = Precision::single;
  EXPECT_EQ(same_error_of([&] { write_links(path(), grid, options); }).code(), Code::ranks_disagree);
}

TEST_F(MpiFiles, NeedEnoughMemoryOnAllRanks) {
  const Grid grid = mpi::grid(lattice);
  std::vector<Links<double>> links(grid.local_volume());
  if (world_rank() == world_size() - 1) links.pop_back();
  EXPECT_EQ(same_error_of([&] { write(path(), grid, gauge(links)); }).code(), Code::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(MpiFiles, NeedADirectory) {
  const Grid grid = mpi::grid(lattice);
  EXPECT_EQ(same_error_of([&] { write_links(path("no/such/conf.ildg"), grid); }).code(), Code::not_found);
}

TEST_F(MpiFiles, ThatAreDamagedAreNoticedByAll) {
  const std::string file = reference();
  if (world_rank() == 0) {
    std::fstream damaged(file, std::ios::binary | std::ios::in | std::ios::out);
    damaged.seekp(200'000);
    const int byte = damaged.peek();
    damaged.put(static_cast<char>(byte ^ 1));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Grid grid = mpi::grid(lattice);
  std::vector<Links<double>> links(grid.local_volume());
  EXPECT_EQ(same_error_of([&] { read(file, grid, gauge(links)); }).code(), Code::checksum_mismatch);
}

TEST_F(MpiFiles, ThatEndEarlyAreNoticedByAll) {
  const std::string file = reference();
  const std::string whole = testing::contents(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) std::ofstream(file, std::ios::binary) << whole.substr(0, whole.size() / 2);
  MPI_Barrier(MPI_COMM_WORLD);
  const Grid grid = mpi::grid(lattice);
  EXPECT_EQ(same_error_of([&] { expect_links(file, grid); }).code(), Code::truncated);
}

}  // namespace
}  // namespace lq
