// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k and every rank: the k-th operation of that rank's transport fails while a set of several files is opened
// for reading. Claim: the same error on all ranks, or all can read everything; no hang.
#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"
#include "support/troubled_comm.hpp"

namespace lq::sets {
namespace {

using testing::error_of;
using testing::stream_bytes;

struct OpeningScenario {
  int writers, files, readers, bad_rank;
};

class Opening : public ::testing::TestWithParam<OpeningScenario> {
 protected:
  static std::uint64_t size_of(std::uint64_t task) { return task % 3 * 700; }

  void SetUp() override {
    testing::run_ranks(GetParam().writers, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileOptions options;
      options.files = GetParam().files;
      options.expected_bytes = 1;
      options.buffer_bytes = 800;
      const auto set = create_set(*transport_, "set", Communicator(std::move(comm)), options);
      const auto task = static_cast<std::uint64_t>(set->streams().front()->task());
      set->streams().front()->write(stream_bytes(task, 0, size_of(task)));
      set->close();
    });
  }

  static void expect_dealt(const OpenSet& set) {
    for (std::size_t i = 0; i < set.share().dealt.size(); ++i) {
      const auto task = static_cast<std::uint64_t>(set.share().first) + i;
      std::vector<std::byte> bytes(size_of(task));
      EXPECT_EQ(set.task(static_cast<std::int64_t>(task))->read_at(0, bytes), bytes.size());
      EXPECT_EQ(testing::first_wrong(bytes, task), bytes.size());
    }
  }

  const std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
};

TEST_P(Opening, FailsOnAllRanksOrOnNone) {
  std::int64_t failures = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    testing::FaultyTransport faulty(*transport_, k, testing::Fault::error);
    const auto errors = testing::outcomes_of_ranks(GetParam().readers, [&](std::shared_ptr<comm::Comm> comm) {
      const bool is_bad = comm->rank() == GetParam().bad_rank;
      std::unique_ptr<OpenSet> set;
      set = OpenSet::open(is_bad ? static_cast<storage::Transport&>(faulty) : *transport_, "set",
                          Communicator(std::move(comm)), MultifileReadOptions{});
      if (!is_bad) expect_dealt(*set);
    });
    if (!faulty.has_failed()) break;
    const Error first = error_of([&] {
      if (errors.front()) std::rethrow_exception(errors.front());
    });
    failures += first.code() == Code::ok ? 0 : 1;
    for (const std::exception_ptr& other : errors) {
      const Error error = error_of([&] {
        if (other) std::rethrow_exception(other);
      });
      EXPECT_EQ(error.code(), first.code());
      EXPECT_STREQ(error.what(), first.what());
    }
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(k, 1000);
  }
  EXPECT_GE(failures, 2);
}

// Where a rank loses its network in the middle, the others do not go on to where nobody follows them.
TEST_P(Opening, EndsOnAllRanksWhenOneIsLost) {
  std::int64_t k = 0;
  for (bool has_failed = true; has_failed; ++k) {
    testing::NetworkFault fault(k), none(-1);
    fault.is_on = true;
    const auto errors = testing::outcomes_of_ranks(GetParam().readers, [&](std::shared_ptr<comm::Comm> comm) {
      const bool is_bad = comm->rank() == GetParam().bad_rank;
      const auto troubled = std::make_shared<testing::TroubledComm>(std::move(comm), is_bad ? fault : none);
      const auto set = OpenSet::open(*transport_, "set", Communicator(troubled), MultifileReadOptions{});
      if (!fault.has_failed()) expect_dealt(*set);
    });
    has_failed = fault.has_failed();
    if (has_failed) {
      EXPECT_TRUE(errors[static_cast<std::size_t>(GetParam().bad_rank)]);
    }
    ASSERT_LT(k, 1000);
  }
  EXPECT_GT(k, 5);
}

INSTANTIATE_TEST_SUITE_P(Sets, Opening,
                         ::testing::Values(OpeningScenario{4, 2, 2, 0}, OpeningScenario{4, 2, 2, 1},
                                           OpeningScenario{9, 3, 3, 2}, OpeningScenario{9, 3, 7, 2},
                                           OpeningScenario{9, 3, 7, 4}, OpeningScenario{8, 8, 3, 0},
                                           OpeningScenario{8, 8, 3, 1}, OpeningScenario{8, 8, 3, 2}));

}  // namespace
}  // namespace lq::sets
