// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks of one node that reach the file through mounts of their own, whose caches know nothing of each other.
#include <gtest/gtest.h>

#include <atomic>

#include <limequat/error.hpp>

#include "io/sites.hpp"
#include "io/transfer.hpp"
#include "support/cached_clients.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"
#include "support/ways_here.hpp"

namespace lq::io {
namespace {

using testing::CachedClient;

const Extents lattice{4, 4, 4, 8};
constexpr std::uint64_t link_numbers = 72;

class Clients : public ::testing::TestWithParam<std::pair<Extents, Strategy>> {
 protected:
  // The same sites by four ranks, where those of odd numbers have another mount, which `says` its number.
  void write_through_two_mounts(std::uint64_t says, const WriteOptions& options) {
    CachedClient first(*servers_, 1), second(*servers_, says);
    testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
      CachedClient& mine = comm->rank() % 2 == 0 ? first : second;
      write_through(mine, Grid(Communicator(std::move(comm)), lattice, {.processes = GetParam().first}), options);
    });
    syncs_ = second.syncs();
  }

  void write_through(storage::Transport& mount, const Grid& grid, const WriteOptions& options) {
    const std::vector<double> values = testing::formula_sites<double>(grid, link_numbers);
    const FieldSpec spec = generic_spec(Precision::double_, link_numbers, false);
    const Report report =
        write_field(mount, "found.lime", grid, Field{spec, values.data(), values.size(), {}, {}}, options);
    if (grid.is_root() && grid.size() > 1) strategy_ = report.strategy;
  }

  std::vector<std::byte> expected() {
    const auto sound = storage::make_memory();
    write_through(*sound, Grid(lattice), options());
    return testing::bytes_in(*sound, "found.lime");
  }
  static WriteOptions options() {
    WriteOptions options{.format = "scidac"};
    options.route.strategy = GetParam().second;
    options.route.chunk_bytes = CachedClient::block;  // so that every rank has some
    return options;
  }

  std::shared_ptr<storage::Transport> servers_ = storage::make_memory();
  std::atomic<Strategy> strategy_{};
  int syncs_ = 0;
};

INSTANTIATE_TEST_SUITE_P(
    Grids, Clients,
    ::testing::ValuesIn(testing::ways_here(std::vector{std::pair(Extents{1, 1, 1, 4}, Strategy::automatic),
                                                       std::pair(Extents{2, 2, 1, 1}, Strategy::automatic),
                                                       std::pair(Extents{2, 2, 1, 1}, Strategy::messages),
                                                       std::pair(Extents{2, 2, 1, 1}, Strategy::shared),
                                                       std::pair(Extents{1, 2, 2, 1}, Strategy::pull)},
                                           &std::pair<Extents, Strategy>::second)));

TEST_P(Clients, TwoOnANodeLoseNothing) {
  for (const Sync sync : {Sync::full, Sync::none}) {
    WriteOptions how = options();
    how.sync = sync;
    how.overwrite = true;
    write_through_two_mounts(2, how);
    EXPECT_EQ(testing::bytes_in(*servers_, "found.lime"), expected());
    EXPECT_NE(strategy_, Strategy::direct);
    EXPECT_GE(syncs_, 1);  // by each writer, whoever waits for the disk
  }
}

// The file system does lie: taken for one client, its two lose each other's bytes where rows are moved one by one.
TEST_P(Clients, AreNeverAskedToShareAPage) {
  WriteOptions how = options();
  how.route.strategy = Strategy::direct;
  how.overwrite = true;
  write_through_two_mounts(1, how);
  EXPECT_NE(testing::bytes_in(*servers_, "found.lime"), expected());
  const Error refused = testing::error_of([&] { write_through_two_mounts(2, how); });
  EXPECT_EQ(refused.code(), Code::unsupported);
  EXPECT_NE(std::string(refused.what()).find("two clients must not write into one block of 65536 bytes"),
            std::string::npos)
      << refused.what();
}

// Read back through another client, the loss is found before the file gets its name.
TEST_P(Clients, ReadBackWhatOthersWrote) {
  WriteOptions how = options();
  how.route.strategy = Strategy::direct;
  how.verify = Verify::read_back;
  const Error lost = testing::error_of([&] { write_through_two_mounts(1, how); });
  // Where the first page was lost not even the format is known.
  EXPECT_TRUE(lost.code() == Code::checksum_mismatch || lost.code() == Code::unknown_format) << lost.what();
  EXPECT_EQ(servers_->kind("found.lime"), storage::PathKind::absent);
  how = options();
  how.verify = Verify::read_back;
  write_through_two_mounts(2, how);
  EXPECT_EQ(testing::bytes_in(*servers_, "found.lime"), expected());
}

// By counting: whose share a rank reads, and through which mount.
TEST(OtherClients, AreFoundHoweverRanksAreDealtOut) {
  struct Case {
    int ranks, ranks_per_node;
    std::uint64_t (*mount)(int rank);
  };
  const auto odd = [](int rank) { return static_cast<std::uint64_t>(rank % 2); };
  const auto halves = [](int rank) { return static_cast<std::uint64_t>(rank / 4); };
  const auto thirds = [](int rank) { return static_cast<std::uint64_t>(rank / 3); };
  const auto one_each = [](int) { return std::uint64_t{7}; };
  for (const Case& one : {Case{8, 8, odd}, Case{8, 8, halves}, Case{8, 2, one_each}, Case{6, 6, thirds}}) {
    std::atomic<int> strangers{0};
    testing::run_ranks(
        one.ranks,
        [&](std::shared_ptr<comm::Comm> comm) {
          const int rank = comm->rank();
          const auto shift = static_cast<int>(shift_to_other_clients(*comm, one.mount(rank)));
          const int other = (rank + shift) % one.ranks;
          if (other / one.ranks_per_node != rank / one.ranks_per_node || one.mount(other) != one.mount(rank))
            ++strangers;
        },
        {.ranks_per_node = one.ranks_per_node});
    EXPECT_EQ(strangers, one.ranks);
  }
  testing::run_ranks(3, [](std::shared_ptr<comm::Comm> comm) { EXPECT_EQ(shift_to_other_clients(*comm, 1), 1U); });
}

}  // namespace
}  // namespace lq::io
