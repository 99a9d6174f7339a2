// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators and grids from MPI communicators, plain and Cartesian.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"

namespace lq {
namespace {

using testing::same_error_of;
using testing::world_rank;
using testing::world_size;

// Frees what MPI made.
struct OwnedComm {
  MPI_Comm comm = MPI_COMM_NULL;
  ~OwnedComm() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
};

int box_holds(const Grid& grid, const Coord& x) { return grid.local_box().contains(x) ? 1 : 0; }

// Every site on exactly one rank, checked site by site over all ranks.
void expect_partition(const Grid& grid) {
  const Extents extents = grid.extents();
  std::vector<int> owners(grid.volume());
  Coord x = Coord::filled(extents.size(), 0);
  for (int& count : owners) {
    count = box_holds(grid, x);
    for (int d = 0; d < x.size() && ++x[d] == extents[d]; ++d) x[d] = 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, owners.data(), static_cast<int>(owners.size()), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
}

TEST(MpiCommunicator, HasRankAndSizeOfTheOriginal) {
  const Communicator communicator = mpi::communicator();
  EXPECT_EQ(communicator.rank(), world_rank());
  EXPECT_EQ(communicator.size(), world_size());
}

TEST(MpiCommunicator, OutlivesTheOriginal) {
  Communicator communicator;
  {
    OwnedComm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy.comm);
    communicator = mpi::communicator(copy.comm);
  }
  EXPECT_EQ(communicator.size(), world_size());
  const Grid grid(communicator, {4, 4, 4, 8});
  expect_partition(grid);
}

TEST(MpiCommunicator, LeavesTheErrorHandlerOfTheOriginal) {
  OwnedComm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy.comm);
  MPI_Comm_set_errhandler(copy.comm, MPI_ERRORS_ARE_FATAL);
  const Communicator communicator = mpi::communicator(copy.comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(copy.comm, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
}

TEST(MpiCommunicator, RefusesTheNullCommunicator) {
  EXPECT_EQ(same_error_of([] { mpi::communicator(MPI_COMM_NULL); }).code(), Code::invalid_argument);
}

TEST(MpiCommunicator, RefusesAnIntercommunicator) {
  if (world_size() < 2) GTEST_SKIP() << "needs two groups";
  OwnedComm half;
  OwnedComm bridge;
  const int side = world_rank() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half.comm);
  MPI_Intercomm_create(half.comm, 0, MPI_COMM_WORLD, 1 - side, 7, &bridge.comm);
  EXPECT_EQ(same_error_of([&] { mpi::communicator(bridge.comm); }).code(), Code::invalid_argument);
}

TEST(MpiEnvironment, LeavesARunningMpiAlone) {
  {
    int argc = 0;
    char** argv = nullptr;
    const mpi::Environment second(argc, argv);
  }
  int finalised = 1;
  MPI_Finalized(&finalised);
  EXPECT_EQ(finalised, 0);
}

TEST(MpiGrid, DealsOutEverySiteOnce) {
  for (const Extents& extents : {Extents{4, 4, 4, 8}, Extents{3, 5, 2, 7}, Extents{16}, Extents{2, 2, 2, 2, 2, 3}}) {
    expect_partition(mpi::grid(extents));
  }
}

TEST(MpiGrid, UsesTheProcessGridThatIsGiven) {
  const Grid grid = mpi::grid({4, 4, 4, 16}, MPI_COMM_WORLD, {.processes = Extents{1, 1, 1, world_size()}});
  EXPECT_EQ(grid.processes(), (Extents{1, 1, 1, world_size()}));
  expect_partition(grid);
}

TEST(MpiGrid, RefusesAProcessGridOfAnotherSize) {
  const GridOptions options{.processes = Extents{1, 1, 1, world_size() + 1}};
  EXPECT_EQ(same_error_of([&] { mpi::grid({4, 4, 4, 16}, MPI_COMM_WORLD, options); }).code(), Code::invalid_argument);
}

TEST(MpiGrid, RefusesASmallerProcessGridUnlessRanksMayBeIdle) {
  if (world_size() < 2) GTEST_SKIP() << "needs a rank to spare";
  GridOptions options{.processes = Extents{1, 1, 1, world_size() - 1}};
  EXPECT_EQ(same_error_of([&] { mpi::grid({4, 4, 4, 16}, MPI_COMM_WORLD, options); }).code(), Code::invalid_argument);
  options.idle_ranks = true;
  const Grid grid = mpi::grid({4, 4, 4, 16}, MPI_COMM_WORLD, options);
  EXPECT_EQ(grid.local_volume() == 0, world_rank() == world_size() - 1);
  expect_partition(grid);
}

TEST(MpiGrid, RefusesExtentsThatDifferBetweenRanks) {
  if (world_size() < 2) GTEST_SKIP() << "needs someone to disagree with";
  const Error error = same_error_of([] { mpi::grid({4, 4, 4, world_rank() == world_size() - 1 ? 8 : 4}); });
  EXPECT_EQ(error.code(), Code::ranks_disagree);
}

TEST(MpiGrid, LivesOnAPartOfTheRanks) {
  OwnedComm part;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &part.comm);
  const Grid grid = mpi::grid({4, 4, 4, 8}, part.comm);
  EXPECT_EQ(grid.size(), (world_size() + 1 - world_rank() % 2) / 2);
  EXPECT_EQ(grid.rank(), grid.size() - 1 - world_rank() / 2);
}

struct Cartesian : OwnedComm {
  explicit Cartesian(int dimensions, bool reorder = false) : size(static_cast<std::size_t>(dimensions)) {
    MPI_Dims_create(world_size(), dimensions, size.data());
    const std::vector<int> periodic(size.size(), 1);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, size.data(), periodic.data(), reorder ? 1 : 0, &comm);
  }
  std::vector<int> my_coordinates() const {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<int> coordinates(size.size());
    MPI_Cart_coords(comm, rank, static_cast<int>(size.size()), coordinates.data());
    return coordinates;
  }
  std::vector<int> size;
};

// Where block `index` of `blocks` begins when the first (extent mod blocks) blocks have one site more.
std::int64_t lower_of(std::int64_t extent, std::int64_t blocks, std::int64_t index) {
  std::int64_t lower = 0;
  for (std::int64_t b = 0; b < index; ++b) lower += extent / blocks + (b < extent % blocks ? 1 : 0);
  return lower;
}

// The box of this rank follows from MPI_Cart_coords alone.
void expect_cartesian(const Grid& grid, const Cartesian& cartesian, const SiteOrder& axes) {
  const std::vector<int> mine = cartesian.my_coordinates();
  for (int d = 0; d < grid.extents().size(); ++d) {
    const auto c = static_cast<std::size_t>(axes[static_cast<std::size_t>(d)]);
    EXPECT_EQ(grid.processes()[d], cartesian.size[c]);
    const std::int64_t lower = lower_of(grid.extents()[d], cartesian.size[c], mine[c]);
    const std::int64_t upper = lower_of(grid.extents()[d], cartesian.size[c], mine[c] + 1);
    EXPECT_EQ(grid.local_box().lower[d], lower) << "dimension " << d;
    EXPECT_EQ(grid.local_box().extents[d], upper - lower) << "dimension " << d;
  }
  expect_partition(grid);
}

TEST(MpiCartesian, GivesProcessGridAndRankOrder) {
  const Cartesian cartesian(4);
  expect_cartesian(mpi::grid({8, 4, 4, 8}, cartesian.comm), cartesian, {0, 1, 2, 3});
}

TEST(MpiCartesian, KeepsItsOrderWhenRanksAreReordered) {
  const Cartesian cartesian(3, true);
  expect_cartesian(mpi::grid({8, 4, 6}, cartesian.comm), cartesian, {0, 1, 2});
}

TEST(MpiCartesian, MayHaveItsDimensionsInAnotherOrder) {
  const Cartesian cartesian(4);
  const SiteOrder time_first{1, 2, 3, 0};
  expect_cartesian(mpi::grid({4, 4, 4, 8}, cartesian.comm, {}, time_first), cartesian, time_first);
}

TEST(MpiCartesian, MayCutUnevenExtents) {
  for (const SiteOrder& axes : {SiteOrder{0, 1, 2}, SiteOrder{2, 0, 1}, SiteOrder{1, 0, 2}, SiteOrder{2, 1, 0}}) {
    const Cartesian cartesian(3);
    expect_cartesian(mpi::grid({9, 5, 7}, cartesian.comm, {}, axes), cartesian, axes);
  }
}

TEST(MpiCartesian, HasAnyNumberOfDimensions) {
  for (const int dimensions : {1, 2, 5}) {
    const Cartesian cartesian(dimensions);
    SiteOrder axes;
    for (int d = 0; d < dimensions; ++d) axes.push_back(d);
    Extents extents = Extents::filled(dimensions, 2);
    extents[0] = 8;  // MPI_Dims_create cuts the first dimension most
    expect_cartesian(mpi::grid(extents, cartesian.comm), cartesian, axes);
  }
}

TEST(MpiCartesian, MustHaveTheDimensionsOfTheLattice) {
  const Cartesian cartesian(2);
  EXPECT_EQ(same_error_of([&] { mpi::grid({4, 4, 4, 8}, cartesian.comm); }).code(), Code::invalid_argument);
}

TEST(MpiCartesian, AxesMustBeAPermutation) {
  const Cartesian cartesian(2);
  for (const SiteOrder& axes : {SiteOrder{0, 0}, SiteOrder{1, 2}, SiteOrder{0}, SiteOrder{-1, 0}}) {
    EXPECT_EQ(same_error_of([&] { mpi::grid({4, 8}, cartesian.comm, {}, axes); }).code(), Code::invalid_argument);
  }
}

TEST(MpiCartesian, WrongAxesOnOneRankFailEverywhere) {
  const Cartesian cartesian(2);
  const SiteOrder axes = world_rank() == world_size() - 1 ? SiteOrder{5, 5} : SiteOrder{0, 1};
  const Error error = same_error_of([&] { mpi::grid({8, 8}, cartesian.comm, {}, axes); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_EQ(error.facts().rank, world_size() > 1 ? std::optional(world_size() - 1) : std::nullopt);
}

TEST(MpiCartesian, DifferentAxesAreADisagreement) {
  if (world_size() < 2) GTEST_SKIP() << "needs someone to disagree with";
  const Cartesian cartesian(2);
  const SiteOrder axes = world_rank() == 0 ? SiteOrder{1, 0} : SiteOrder{0, 1};
  EXPECT_EQ(same_error_of([&] { mpi::grid({8, 8}, cartesian.comm, {}, axes); }).code(), Code::ranks_disagree);
}

TEST(MpiCartesian, AxesNeedATopology) {
  const auto make = [] { mpi::grid({4, 8}, MPI_COMM_WORLD, {}, {1, 0}); };
  EXPECT_EQ(same_error_of(make).code(), Code::invalid_argument);
}

TEST(MpiCartesian, RefusesOptionsThatContradictIt) {
  const Cartesian cartesian(2);
  const GridOptions processes{.processes = Extents{world_size() + 1, 1}};
  const GridOptions order{.rank_order = {0, 1}};
  EXPECT_EQ(same_error_of([&] { mpi::grid({4, 8}, cartesian.comm, processes); }).code(), Code::invalid_argument);
  EXPECT_EQ(same_error_of([&] { mpi::grid({4, 8}, cartesian.comm, order); }).code(), Code::invalid_argument);
}

// Backwards: the table is used, not the topology.
TEST(MpiCartesian, IsReplacedByATableOrCoordinates) {
  const Cartesian cartesian(2);
  const int last = world_size() - 1;
  GridOptions table{.processes = Extents{1, world_size()}}, own = table;
  for (int place = 0; place <= last; ++place) table.ranks.push_back(last - place);
  own.coordinates = Coord{0, last - world_rank()};
  for (const GridOptions& options : {table, own}) {
    const Grid grid = mpi::grid({4, 2 * world_size()}, cartesian.comm, options);
    EXPECT_EQ(grid.local_box().lower, (Coord{0, 2 * (last - world_rank())}));
    expect_partition(grid);
    EXPECT_EQ(same_error_of([&] {
                mpi::grid({4, 8}, cartesian.comm, options, {1, 0});
              }).code(),
              Code::invalid_argument);
  }
  if (world_size() == 1) return;
  own.processes = Extents{1, last};  // rank 0, which has no coordinates, holds nothing
  if (world_rank() == 0) own.coordinates.reset();
  own.idle_ranks = true;
  const Grid grid = mpi::grid({4, 2 * last}, cartesian.comm, own);
  EXPECT_EQ(grid.local_volume() == 0, world_rank() == 0);
  expect_partition(grid);
}

}  // namespace
}  // namespace lq
