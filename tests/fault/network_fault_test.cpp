// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k and every rank: from its k-th message or collective operation on, none of that rank begins. Claim: every
// rank ends, all with an error or all without, and what existed is intact or replaced.
#include <gtest/gtest.h>

#include <algorithm>

#include <limequat/async.hpp>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/multifile.hpp>

#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"
#include "support/troubled_comm.hpp"

namespace lq::io {
namespace {

using testing::error_of;

const Extents lattice{6, 2, 2, 6};
constexpr int ranks = 6;

using Operation = std::function<void(const Communicator&)>;

struct Ends {
  std::ptrdiff_t with_error = 0;  // ranks
  bool reached = false;           // the operation that fails
};

Ends run_with_fault(int number, int bad_rank, std::int64_t k, int ranks_per_node, const Operation& operation) {
  testing::NetworkFault fault(k), none(-1);
  fault.is_on = true;
  const auto failures = testing::outcomes_of_ranks(
      number,
      [&](std::shared_ptr<comm::Comm> comm) {
        testing::NetworkFault& mine = comm->rank() == bad_rank ? fault : none;
        operation(Communicator(std::make_shared<testing::TroubledComm>(std::move(comm), mine)));
      },
      {.ranks_per_node = ranks_per_node});
  return {std::ranges::count_if(failures, [](const std::exception_ptr& failure) { return failure != nullptr; }),
          fault.has_failed()};
}

template <class Check>
void for_every_k_and_rank_of(int number, int ranks_per_node, const Operation& operation, Check&& check) {
  for (int bad_rank = 0; bad_rank < number; ++bad_rank) {
    Ends ends{.reached = true};
    for (std::int64_t k = 0; ends.reached; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k << " of rank " << bad_rank);
      ends = run_with_fault(number, bad_rank, k, ranks_per_node, operation);
      EXPECT_EQ(ends.with_error, ends.reached ? number : 0);
      check();
      ASSERT_FALSE(::testing::Test::HasFailure());
      ASSERT_LT(k, 1000);
    }
  }
}

struct LostNetworkCase {
  Strategy strategy;
  int ranks_per_node;
};

class LostNetwork : public ::testing::TestWithParam<LostNetworkCase> {
 protected:
  static RouteOptions route() { return {.strategy = GetParam().strategy, .chunk_bytes = 4096}; }

  template <class Check>
  void for_every_k_and_rank(const std::function<void(const Grid&)>& operation, Check&& check) {
    for_every_k_and_rank_of(
        ranks, GetParam().ranks_per_node,
        [&](const Communicator& all) {
          operation(Grid(all, lattice, {.processes = Extents{ranks / 2, 1, 1, 2}}));
        },
        check);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "conf.ildg";
};

TEST_P(LostNetwork, LeavesNobodyWaitingForAWrite) {
  const Grid alone(lattice);
  const std::vector<double> before = testing::formula_sites<double>(alone, 72);
  write(path_, alone, gauge(before));
  std::vector<double> after = before, found = before;
  for (double& number : after) number *= 2;
  for_every_k_and_rank(
      [&](const Grid& grid) {
        std::vector<double> numbers = testing::formula_sites<double>(grid, 72);
        for (double& number : numbers) number *= 2;
        write(path_, grid, gauge(numbers), {.overwrite = true, .route = route()});
      },
      [&] {
        read(path_, alone, gauge(found));
        EXPECT_TRUE(found == before || found == after);
      });
}

TEST_P(LostNetwork, LeavesNobodyWaitingForAWriteInTheBackground) {
  for_every_k_and_rank(
      [&](const Grid& grid) {
        const std::vector<double> numbers = testing::formula_sites<double>(grid, 72);
        Pending pending = write_async(path_, grid, gauge(numbers), {.overwrite = true, .route = route()});
        pending.test();
        pending.wait();
      },
      [] {});
}

TEST_P(LostNetwork, LeavesNobodyWaitingForARead) {
  write(path_, Grid(lattice), gauge(testing::formula_sites<double>(Grid(lattice), 72)));
  for_every_k_and_rank(
      [&](const Grid& grid) {
        std::vector<double> numbers(testing::formula_sites<double>(grid, 72).size());
        read(path_, grid, gauge(numbers), {.route = route()});
        EXPECT_EQ(numbers, testing::formula_sites<double>(grid, 72));
      },
      [] {});
}

// Ranks that read are fewer than those that wrote.
TEST(LostNetworkOfSets, LeavesNobodyWaiting) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "a.set";
  const auto fill = [](MultifileWriter& set, std::uint64_t begin) {
    const auto task = static_cast<std::uint64_t>(set.stream().task());
    set.write(testing::stream_bytes(task, begin, 3000));
    set.close();
  };
  const auto create = [&](const Communicator& all) {
    MultifileWriter set(path, all, {.expected_bytes = 1, .files = 3, .overwrite = true});
    fill(set, 0);
  };
  testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) { create(Communicator(std::move(comm))); });
  std::uint64_t readable = 0;
  for_every_k_and_rank_of(
      ranks, 2, [&](const Communicator& all) { create(all); },
      [&] {
        const MultifileReader set(path);
        EXPECT_EQ(testing::first_wrong(set.task(5).read_all(), 5), 3000U);
        ++readable;
      });
  EXPECT_GE(readable, 100U);
  // Interrupted, it is repaired and gone on with again.
  for_every_k_and_rank_of(
      ranks, 2,
      [&](const Communicator& all) {
        MultifileWriter set = MultifileWriter::append(path, all, {.expected_bytes = 1});
        fill(set, set.stream().size());
      },
      [&] {
        if (error_of([&] { MultifileReader{path}; }).code() != Code::ok) repair_multifile(path);
        const std::vector<std::byte> bytes = MultifileReader(path).task(4).read_all();
        EXPECT_GE(bytes.size(), 3000U);
        EXPECT_EQ(testing::first_wrong(bytes, 4), bytes.size());
        if (bytes.size() > 30'000)
          testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) { create(Communicator(std::move(comm))); });
      });
  testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) { create(Communicator(std::move(comm))); });
  for_every_k_and_rank_of(
      4, 2,
      [&](const Communicator& all) {
        const MultifileReader set(path, all);
        for (std::int64_t task = set.first_task(); task < set.first_task() + set.local_tasks(); ++task) {
          EXPECT_EQ(testing::first_wrong(set.task(task).read_all(), static_cast<std::uint64_t>(task)), 3000U);
        }
      },
      [] {});
}

INSTANTIATE_TEST_SUITE_P(Of, LostNetwork,
                         ::testing::Values(LostNetworkCase{Strategy::direct, 6}, LostNetworkCase{Strategy::messages, 6},
                                           LostNetworkCase{Strategy::shared, 6}, LostNetworkCase{Strategy::shared, 5},
                                           LostNetworkCase{Strategy::shared, 3}, LostNetworkCase{Strategy::shared, 2},
                                           LostNetworkCase{Strategy::pull, 3}));

}  // namespace
}  // namespace lq::io
