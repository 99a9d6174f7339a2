// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of threads answer like every Comm, and notice when their ranks can never meet.
#include "support/thread_comm.hpp"

#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "support/comm_suite.hpp"
#include "support/error_of.hpp"

namespace {

using lq::Code;
using lq::Error;
using lq::comm::Comm;
using lq::testing::CommQuestion;
using lq::testing::error_of;
using lq::testing::run_ranks;
using Handle = std::shared_ptr<Comm>;

class ThreadComm : public ::testing::TestWithParam<CommQuestion> {};

TEST_P(ThreadComm, AnswersForOneToEightRanks) {
  for (const int n : {1, 2, 3, 4, 8}) {
    run_ranks(n, [](Handle comm) { GetParam().ask(*comm); });
  }
}

TEST_P(ThreadComm, AnswersInHalvesOfASplitGroup) {
  for (const int n : {3, 8}) {
    run_ranks(n, [n](Handle comm) { GetParam().ask(*comm->split(comm->rank() < n / 2 ? 0 : 1, 0)); });
  }
}

INSTANTIATE_TEST_SUITE_P(Comm, ThreadComm, ::testing::ValuesIn(lq::testing::all_comm_questions()),
                         [](const auto& question) { return std::string(question.param.name); });

Error outcome(const std::exception_ptr& left) {
  return error_of([&] {
    if (left) std::rethrow_exception(left);
  });
}

// What each of n ranks gets when `body` runs.
std::vector<Error> errors_of_ranks(int n, const lq::testing::RankBody& body) {
  std::vector<Error> errors;
  for (const std::exception_ptr& left : lq::testing::outcomes_of_ranks(n, body)) errors.push_back(outcome(left));
  return errors;
}

TEST(RunRanks, ThrowsWhatLeftABodyFirst) {
  const Error error = error_of([] {
    run_ranks(4, [](Handle comm) {
      if (comm->rank() == 2) throw Error(Code::no_space, "the disk is full");
      comm->barrier();
    });
  });
  EXPECT_EQ(error.code(), Code::no_space);
}

TEST(RunRanks, RanksThatWaitForOneThatThrewGetAnError) {
  const auto errors = errors_of_ranks(3, [](Handle comm) {
    if (comm->rank() == 1) throw Error(Code::io, "gone");
    comm->barrier();
  });
  EXPECT_EQ(errors[0].code(), Code::communication);
  EXPECT_EQ(errors[1].code(), Code::io);
  EXPECT_EQ(errors[2].code(), Code::communication);
}

TEST(RunRanks, RanksThatWaitForOneThatReturnedGetAnErrorThatNamesIt) {
  const auto errors = errors_of_ranks(2, [](Handle comm) {
    if (comm->rank() == 0) comm->barrier();
  });
  EXPECT_STREQ(errors[0].what(), "barrier: rank 1 has left");
  EXPECT_EQ(errors[1].code(), Code::ok);
}

TEST(RunRanks, ARankThatLeavesBreaksTheGroupsItIsInAndNoOthers) {
  const auto errors = errors_of_ranks(4, [](Handle comm) {
    const auto pair = comm->split(comm->rank() / 2, 0);
    if (comm->rank() == 3) return;
    for (int i = 0; i < 10; ++i) pair->barrier();
  });
  EXPECT_EQ(errors[0].code(), Code::ok);
  EXPECT_EQ(errors[1].code(), Code::ok);
  EXPECT_EQ(errors[2].code(), Code::communication);
}

TEST(RunRanks, DifferentOperationsAtOneTimeAreAnErrorEverywhere) {
  const auto errors = errors_of_ranks(3, [](Handle comm) {
    if (comm->rank() == 2) {
      comm->broadcast({}, 0);
    } else {
      comm->barrier();
    }
  });
  for (const Error& error : errors) EXPECT_EQ(error.code(), Code::communication);
}

TEST(RunRanks, RanksThatWaitForEachOtherInDifferentGroupsGetAnError) {
  const auto errors = errors_of_ranks(2, [](Handle comm) {
    const auto all = comm->split(0, 0);
    (comm->rank() == 0 ? *comm : *all).barrier();
  });
  for (const Error& error : errors) EXPECT_EQ(error.code(), Code::communication);
}

TEST(RunRanks, SizesThatDifferBetweenRanksAreAnErrorEverywhere) {
  const auto errors = errors_of_ranks(3, [](Handle comm) {
    std::vector<std::byte> data(comm->rank() == 1 ? 4 : 8);
    comm->broadcast(data, 0);
  });
  for (const Error& error : errors) EXPECT_EQ(error.code(), Code::communication);
}

TEST(RunRanks, TwoMessagesForOneRankAreAnErrorEverywhere) {
  const auto errors = errors_of_ranks(2, [](Handle comm) {
    std::vector<lq::comm::Message> outgoing;
    if (comm->rank() == 0) outgoing = {{1, {}}, {1, {}}};
    comm->all_to_all(outgoing);
  });
  for (const Error& error : errors) EXPECT_EQ(error.code(), Code::communication);
}

}  // namespace
