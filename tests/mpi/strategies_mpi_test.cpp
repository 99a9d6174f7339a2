// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every strategy over the ranks of an MPI, in the foreground and in the background (under MPI_THREAD_FUNNELED,
// which is what the harness asks for): the bytes of the file are those that one rank writes alone, and every strategy
// brings the numbers back.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
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

using Links = std::array<std::complex<double>, 36>;

const Extents lattice{8, 4, 4, 8};
const Extents process_grids[] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {2, 2, 1, 1}, {1, 1, 1, 4}, {2, 2, 2, 1}};

double number_of(const Coord& x, int n) {
  const std::int64_t site = x[0] + 8 * (x[1] + 4 * (x[2] + 4 * x[3]));
  return static_cast<double>(site * 100 + n) / 64 - 500;
}

std::vector<Links> links_of(const Grid& grid, double factor = 1) {
  std::vector<Links> all;
  const Coord lower = grid.local_box().lower;
  const Extents extents = grid.local_box().extents;
  for (std::int64_t t = 0; t < extents[3]; ++t)
    for (std::int64_t z = 0; z < extents[2]; ++z)
      for (std::int64_t y = 0; y < extents[1]; ++y)
        for (std::int64_t x = 0; x < extents[0]; ++x) {
          const Coord site{lower[0] + x, lower[1] + y, lower[2] + z, lower[3] + t};
          Links& links = all.emplace_back();
          for (int n = 0; n < 36; ++n) {
            links[static_cast<std::size_t>(n)] = {factor * number_of(site, 2 * n), factor * number_of(site, 2 * n + 1)};
          }
        }
  return all;
}

class MpiStrategies : public ::testing::TestWithParam<Strategy> {
 protected:
  static RouteOptions route() { return {.strategy = GetParam(), .chunk_bytes = 8192}; }
  static WriteOptions writing() { return {.sync = Sync::none, .overwrite = true, .route = route()}; }
  static ReadOptions reading() { return {.route = route()}; }

  // The file that rank 0 writes alone.
  std::string reference() {
    const std::string path = directory_ / "reference.ildg";
    if (world_rank() == 0) {
      const Grid alone(lattice);
      const std::vector<Links> links = links_of(alone);
      write(path, alone, gauge(links), {.sync = Sync::none, .route = {.strategy = Strategy::direct}});
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return path;
  }

  // For each process grid that there are ranks for, on as many ranks.
  template <class Work>
  static void on_every_grid(Work work) {
    for (const Extents& processes : process_grids) {
      const auto ranks = static_cast<int>(volume(processes));
      if (ranks > world_size()) continue;
      MPI_Comm part = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, world_rank() < ranks ? 0 : MPI_UNDEFINED, 0, &part);
      if (part == MPI_COMM_NULL) continue;
      SCOPED_TRACE(to_string(processes));
      work(mpi::grid(lattice, part, {.processes = processes}));
      MPI_Barrier(part);
      MPI_Comm_free(&part);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  static Grid widest_grid() {
    Extents processes = process_grids[0];
    for (const Extents& one : process_grids) {
      if (volume(one) <= static_cast<std::uint64_t>(world_size())) processes = one;
    }
    return mpi::grid(lattice, MPI_COMM_WORLD, {.processes = processes, .idle_ranks = true});
  }

  std::size_t files() const {
    const std::filesystem::directory_iterator all(directory_ / "");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  SharedDirectory directory_;
};

TEST_P(MpiStrategies, WriteTheSameBytes) {
  const std::string expected = testing::contents(reference());
  ASSERT_GT(expected.size(), volume(lattice) * sizeof(Links));
  on_every_grid([&](const Grid& grid) {
    const std::vector<Links> links = links_of(grid);
    const std::string path = directory_ / (to_string(grid.processes()) + ".ildg");
    const Report report = write(path, grid, gauge(links), writing());
    EXPECT_EQ(report.strategy, GetParam());
    grid.communicator().barrier();
    EXPECT_TRUE(!grid.is_root() || testing::contents(path) == expected);
  });
}

TEST_P(MpiStrategies, ReadTheSameNumbers) {
  const std::string path = reference();
  on_every_grid([&](const Grid& grid) {
    std::vector<Links> links(grid.local_volume());
    const Report report = read(path, grid, gauge(links), reading());
    EXPECT_EQ(report.status, ChecksumStatus::ok);
    EXPECT_TRUE(links == links_of(grid));
  });
}

TEST_P(MpiStrategies, MoveSeveralFieldsInTheBackground) {
  const std::string path = reference();
  const Grid grid = widest_grid();
  const std::vector<Links> u = links_of(grid), v = links_of(grid, -2);
  std::vector<Links> w(u.size());
  Pending first = write_async(directory_ / "u.ildg", grid, gauge(u), writing());
  Pending second = read_async(path, grid, gauge(w), reading());
  Pending third = write_async(directory_ / "v.ildg", grid, gauge(v), writing());
  while (!second.test()) std::this_thread::yield();
  first.wait();
  EXPECT_EQ(second.wait().status, ChecksumStatus::ok);
  EXPECT_TRUE(w == u);
  EXPECT_EQ(third.wait().bytes, volume(lattice) * sizeof(Links));
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(world_rank() != 0 || testing::contents(directory_ / "u.ildg") == testing::contents(path));
  read(directory_ / "v.ildg", grid, gauge(w), reading());
  EXPECT_TRUE(w == v);
}

TEST_P(MpiStrategies, LeaveNoFileWhenCancelled) {
  const Grid grid = widest_grid();
  const std::vector<Links> u = links_of(grid);
  const std::string old = reference();
  const std::string before = testing::contents(old);
  Pending over = write_async(old, grid, gauge(u), writing());
  Pending fresh = write_async(directory_ / "fresh.ildg", grid, gauge(u), writing());
  over.cancel();
  fresh.cancel();
  { const Pending given_up = write_async(directory_ / "fresh.ildg", grid, gauge(u), writing()); }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(files(), 1U);
  EXPECT_TRUE(testing::contents(old) == before);
  EXPECT_EQ(same_error_of([&] { fresh.wait(); }).code(), Code::wrong_state);
}

TEST_P(MpiStrategies, TellDamageOnAllRanks) {
  const std::string path = reference();
  if (world_rank() == 0) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(volume(lattice) * sizeof(Links) / 2));
    file.put('x');
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Grid grid = widest_grid();
  std::vector<Links> u(grid.local_volume());
  EXPECT_EQ(same_error_of([&] { read(path, grid, gauge(u), reading()); }).code(), Code::checksum_mismatch);
  Pending pending = read_async(path, grid, gauge(u), reading());
  EXPECT_EQ(same_error_of([&] { pending.wait(); }).code(), Code::checksum_mismatch);
}

INSTANTIATE_TEST_SUITE_P(By, MpiStrategies,
                         ::testing::Values(Strategy::direct, Strategy::shared, Strategy::pull, Strategy::messages),
                         [](const auto& strategy) { return std::string(name(strategy.param)); });

}  // namespace
}  // namespace lq
