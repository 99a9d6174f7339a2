// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank fails: who hears, who hangs? All hear the same, none hangs.
#include "comm/agree.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "comm/wire.hpp"
#include "support/error_of.hpp"
#include "support/thread_comm.hpp"

namespace lq::comm {
namespace {

using testing::error_of;
using Handle = std::shared_ptr<Comm>;

Error full_error() {
  return {Code::no_space,
          "a.lime: cannot write",
          {"a.lime", "ildg-binary-data", std::uint64_t{1} << 40, std::nullopt, "1024 bytes", "12", 28}};
}

void expect_equal(const Error& a, const Error& b) {
  EXPECT_EQ(a.code(), b.code());
  EXPECT_STREQ(a.what(), b.what());
  EXPECT_EQ(a.facts().path, b.facts().path);
  EXPECT_EQ(a.facts().record, b.facts().record);
  EXPECT_EQ(a.facts().offset, b.facts().offset);
  EXPECT_EQ(a.facts().rank, b.facts().rank);
  EXPECT_EQ(a.facts().expected, b.facts().expected);
  EXPECT_EQ(a.facts().found, b.facts().found);
  EXPECT_EQ(a.facts().system_errno, b.facts().system_errno);
}

// The error that all of n ranks throw alike in `body`.
Error common_error(int n, const testing::RankBody& body) {
  std::vector<Error> errors;
  for (const std::exception_ptr& left : testing::outcomes_of_ranks(n, body)) {
    errors.push_back(error_of([&] {
      if (left) std::rethrow_exception(left);
    }));
    expect_equal(errors.back(), errors.front());
  }
  return errors.front();
}

Error error_when_ranks_fail(int n, const std::vector<int>& failing, const std::function<void(int rank)>& fail) {
  return common_error(n, [&](Handle comm) {
    agree(*comm, [&] {
      for (const int rank : failing) {
        if (comm->rank() == rank) fail(rank);
      }
    });
  });
}

TEST(ErrorWire, KeepsEverything) {
  ErrorFacts facts = full_error().facts();
  facts.rank = 7;
  const Error with_rank(Code::io, "sentence with \xc3\xa9 and \n", facts);
  for (const Error& error :
       {full_error(), with_rank, Error(Code::internal, ""), Error(Code::ok, "x", {"", "", 0, -1})}) {
    expect_equal(unpack_error(pack_error(error)), error);
  }
}

TEST(ErrorWire, RefusesWhatIsCutShort) {
  const std::vector<std::byte> bytes = pack_error(full_error());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(error_of([&] { throw unpack_error(base::Bytes(bytes).first(length)); }).code(), Code::communication);
  }
}

TEST(Agree, ReturnsEachRanksResultWhenAllSucceed) {
  testing::run_ranks(3, [](Handle comm) {
    const auto mine = agree(*comm, [&] { return std::make_unique<int>(comm->rank()); });
    EXPECT_EQ(*mine, comm->rank());
  });
}

TEST(Agree, AMessageThatArrivedIncompleteIsReportedOnlyIfNoRankSaysWhy) {
  const auto incomplete_at = [](int rank) {
    throw Error(Code::communication, "incomplete at " + std::to_string(rank));
  };
  const Error why = error_when_ranks_fail(4, {0, 1, 3}, [&](int rank) {
    if (rank != 3) incomplete_at(rank);
    throw full_error();
  });
  EXPECT_EQ(why.code(), full_error().code());
  EXPECT_EQ(why.facts().rank, 3);
  const Error first = error_when_ranks_fail(4, {1, 2}, incomplete_at);
  EXPECT_EQ(first.code(), Code::communication);
  EXPECT_EQ(first.facts().rank, 1);
}

TEST(Agree, AllThrowTheErrorOfTheOneThatFailedWithItsRank) {
  for (const int failing : {0, 1, 3}) {
    const Error error = error_when_ranks_fail(4, {failing}, [](int) { throw full_error(); });
    Error expected = full_error();
    ErrorFacts facts = expected.facts();
    facts.rank = failing;
    expect_equal(error, Error(expected.code(), "a.lime: cannot write (rank " + std::to_string(failing) + ")", facts));
  }
}

TEST(Agree, TheLowestFailingRankIsHeard) {
  const Error error = error_when_ranks_fail(
      5, {2, 3, 4}, [](int rank) { throw Error(rank == 2 ? Code::io : Code::exists, std::to_string(rank)); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_STREQ(error.what(), "2 (rank 2)");
}

TEST(Agree, ForeignExceptionsGetACode) {
  EXPECT_EQ(error_when_ranks_fail(2, {1}, [](int) { throw std::bad_alloc(); }).code(), Code::out_of_memory);
  EXPECT_EQ(error_when_ranks_fail(2, {0}, [](int) { std::vector<int>().reserve(~std::size_t{0}); }).code(),
            Code::out_of_memory);
  EXPECT_EQ(error_when_ranks_fail(2, {1}, [](int) { throw 42; }).code(), Code::internal);
  const Error error = error_when_ranks_fail(2, {1}, [](int) { throw std::logic_error("odd"); });
  EXPECT_EQ(error.code(), Code::internal);
  EXPECT_NE(std::string(error.what()).find("odd"), std::string::npos);
}

TEST(Agree, ErrorsOfTheFileSystemKeepTheirPathAndErrno) {
  const Error error = error_when_ranks_fail(2, {1}, [](int) {
    throw std::filesystem::filesystem_error("status", "loop", std::make_error_code(std::errc::permission_denied));
  });
  EXPECT_EQ(error.code(), Code::no_permission);
  EXPECT_EQ(error.facts().path, "loop");
  EXPECT_EQ(error.facts().system_errno, EACCES);
}

TEST(Agree, OneProcessAloneThrowsItsErrorUnchanged) {
  const Error error = error_of([] { agree(*make_self(), [] { throw full_error(); }); });
  expect_equal(error, full_error());
}

TEST(Agree, NestedAgreementNamesTheFailingRankOnce) {
  const Error error = common_error(3, [](Handle comm) {
    agree(*comm, [&] {
      agree(*comm, [&] {
        if (comm->rank() == 2) throw Error(Code::io, "inner");
      });
    });
  });
  EXPECT_STREQ(error.what(), "inner (rank 2)");
  EXPECT_EQ(error.facts().rank, 2);
}

TEST(Agree, TheGroupIsUsableAfterAFailure) {
  testing::run_ranks(3, [](Handle comm) {
    for (int failing = 0; failing < 3; ++failing) {
      const Error error = error_of([&] {
        agree(*comm, [&] {
          if (comm->rank() == failing) throw full_error();
        });
      });
      EXPECT_EQ(error.facts().rank, failing);
    }
    EXPECT_EQ(agree(*comm, [] { return 5; }), 5);
  });
}

TEST(AgreeAtRoot, RunsOnTheRootOnlyAndFailsEverywhere) {
  std::atomic<int> runs = 0;
  const Error error = common_error(4, [&](Handle comm) {
    agree_at_root(*comm, [&] {
      ++runs;
      throw full_error();
    });
  });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(error.code(), Code::no_space);
}

TEST(RequireSame, PassesEqualTextsOfAnyLength) {
  for (const std::string& text : {std::string(), std::string("8x8"), std::string(100000, 'q')}) {
    testing::run_ranks(4, [&](Handle comm) { require_same(*comm, text, "it"); });
  }
}

TEST(RequireSame, NamesTheFirstRankThatDiffersFromRankZero) {
  const Error error = common_error(5, [](Handle comm) {
    require_same(*comm, comm->rank() >= 3 ? "8x" + std::to_string(comm->rank()) : "8x8", "the lattice");
  });
  EXPECT_EQ(error.code(), Code::ranks_disagree);
  EXPECT_EQ(error.facts().rank, 3);
  EXPECT_EQ(error.facts().found, "8x3");
  EXPECT_EQ(error.facts().expected, "8x8");
  EXPECT_EQ(std::string(error.what()).find("the lattice differs between ranks"), 0u);
}

TEST(RequireSame, NoticesRankZeroBeingTheOddOne) {
  const Error error = common_error(3, [](Handle comm) { require_same(*comm, comm->rank() == 0 ? "" : "a", "it"); });
  EXPECT_EQ(error.facts().rank, 1);
}

TEST(Agree, WithArgumentsTellsTheFailureBeforeTheDifference) {
  const auto call = [](Handle comm, bool fails, bool differs) {
    const std::vector<StatedArgument> arguments = {{"the name", "a"},
                                                   {"the size", differs && comm->rank() == 2 ? "7" : "8"}};
    return agree(
        *comm, [&] { return arguments; },
        [&] {
          if (fails && comm->rank() == 1) throw Error(Code::no_space, "full");
          return comm->rank();
        });
  };
  testing::run_ranks(3, [&](Handle comm) { EXPECT_EQ(call(comm, false, false), comm->rank()); });
  EXPECT_EQ(common_error(3, [&](Handle comm) { call(comm, true, false); }).code(), Code::no_space);
  EXPECT_EQ(common_error(3, [&](Handle comm) { call(comm, true, true); }).code(), Code::no_space);
  const Error error = common_error(3, [&](Handle comm) { call(comm, false, true); });
  EXPECT_EQ(error.code(), Code::ranks_disagree);
  EXPECT_NE(std::string(error.what()).find("the size differs"), std::string::npos) << error.what();
}

TEST(BroadcastText, BringsTheRootsTextWhateverTheOthersHave) {
  testing::run_ranks(3, [](Handle comm) {
    EXPECT_EQ(broadcast_text(*comm, comm->rank() == 0 ? "from the root" : std::string(100, 'x')), "from the root");
    EXPECT_EQ(broadcast_text(*comm, comm->rank() == 0 ? "" : "y"), "");
  });
}

TEST(BroadcastBytes, BringsTheRootsBytesInOneOperationWhereTheyAreFew) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, short_broadcast_bytes, short_broadcast_bytes + 1, std::size_t{100'000}}) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 % 251);
    std::vector<testing::Traffic> traffic;
    testing::run_ranks(3,
                       [&](Handle comm) {
                         const std::vector<std::byte> mine =
                             comm->rank() == 0 ? bytes : std::vector<std::byte>(5000, std::byte{9});
                         EXPECT_EQ(broadcast_bytes(*comm, mine), bytes) << size;
                       },
                       {.traffic = &traffic});
    EXPECT_EQ(traffic[1].collectives, size <= short_broadcast_bytes ? 1U : 3U) << size;
  }
}

TEST(MaxOverRanks, IsRightForAnySigns) {
  const auto largest = [](const std::vector<double>& values) {
    double result = 0;
    testing::run_ranks(static_cast<int>(values.size()), [&](Handle comm) {
      const double here = max_over_ranks(*comm, values[static_cast<std::size_t>(comm->rank())]);
      if (comm->rank() == 0) result = here;
    });
    return result;
  };
  EXPECT_EQ(largest({1.5, 0.25, 3}), 3);
  EXPECT_EQ(largest({-1.5, -0.25, -3}), -0.25);
  EXPECT_EQ(largest({-1e300, 0}), 0);
  EXPECT_EQ(largest({1e-310, 0}), 1e-310);
  EXPECT_EQ(largest({-std::numeric_limits<double>::infinity(), -5}), -5);
}

// The order of what is stated counts: the sums of the letters of both are alike.
TEST(RequireSame, NoticesExtentsThatAreExchanged) {
  const Error error =
      common_error(2, [](Handle comm) { require_same(*comm, comm->rank() == 0 ? "4 4 4 8" : "8 4 4 4", "it"); });
  EXPECT_EQ(error.code(), Code::ranks_disagree);
  EXPECT_EQ(error.facts().found, "8 4 4 4");
  EXPECT_EQ(error.facts().expected, "4 4 4 8");
}

// Work that is the same on all ranks, over arguments that are the same: memory may still be missing on one of them.
TEST(AgreeAlike, LackOfMemoryOfOneRankIsThatOfAllAlsoWhereArgumentsAreTheSame) {
  for (const int failing : {0, 2}) {
    const Error error = common_error(3, [&](Handle comm) {
      agree_alike(
          *comm,
          [] {
            return std::vector<StatedArgument>{{"the name", "a"}};
          },
          [&] {
            if (comm->rank() == failing) throw std::bad_alloc();
          });
    });
    EXPECT_EQ(error.code(), Code::out_of_memory);
  }
}

}  // namespace
}  // namespace lq::comm
