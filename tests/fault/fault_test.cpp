// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k and every rank: the k-th operation of that rank's transport fails. Claim: the same error on all ranks,
// no hang, what existed is intact, and nothing half-written is left.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <limequat/error.hpp>

#include "io/replacement.hpp"
#include "io/transfer.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"
#include "support/tiled_format.hpp"

namespace lq::io {
namespace {

using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;

const Extents lattice{4, 2, 2, 6};

std::size_t files_in(const std::string& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

// Where the client lets ranks write in turn, one of them writes, and a rank other than the root may have nothing to do
// in the file.
bool may_be_idle(const std::string& directory, int rank) {
  return rank != 0 && storage::posix().unit(directory).client_writes != storage::ClientWrites::at_once;
}

// What one run with a fault did.
struct Outcome {
  std::vector<std::exception_ptr> errors;  // per rank
  bool reached = false;                    // the operation was reached
};

using Operation = std::function<void(storage::Transport&, const Grid&)>;

// With x split, so that exchanges have something to do; two ranks on a node.
Outcome run_with_fault(int ranks, int bad_rank, std::int64_t k, Fault fault, const Operation& operation) {
  Outcome outcome;
  FaultyTransport faulty(storage::posix(), k, fault);
  outcome.errors = testing::outcomes_of_ranks(
      ranks,
      [&](std::shared_ptr<comm::Comm> comm) {
        storage::Transport& mine =
            comm->rank() == bad_rank ? static_cast<storage::Transport&>(faulty) : storage::posix();
        const Grid grid(Communicator(std::move(comm)), lattice, {.processes = Extents{ranks, 1, 1, 1}});
        operation(mine, grid);
      },
      {.ranks_per_node = 2});
  outcome.reached = faulty.has_failed();
  return outcome;
}

void expect_same_error_everywhere(const Outcome& outcome) {
  ASSERT_NE(outcome.errors.front(), nullptr);
  const Error first = error_of([&] { std::rethrow_exception(outcome.errors.front()); });
  EXPECT_FALSE(testing::is_temporary(first.facts().path)) << first.what();
  for (const std::exception_ptr& other : outcome.errors) {
    ASSERT_NE(other, nullptr);
    const Error error = error_of([&] { std::rethrow_exception(other); });
    EXPECT_EQ(error.code(), first.code());
    EXPECT_STREQ(error.what(), first.what());
  }
}

void write_to(storage::Transport& transport, const Grid& grid, const std::string& path, double factor,
              const WriteOptions& options) {
  std::vector<double> values = testing::formula_sites<double>(grid, 72);
  for (double& value : values) value *= factor;
  write_field(transport, path, grid, gauge(values), options);
}

struct Scenario {
  int ranks;
  int bad_rank;
  Fault fault;
  Strategy strategy = Strategy::automatic;
};

class Writing : public ::testing::TestWithParam<Scenario> {
 protected:
  // Runs the operation with the fault at k = 0, 1, 2, ... until it is no longer reached.
  static RouteOptions route() { return {.strategy = GetParam().strategy, .chunk_bytes = 4096}; }

  template <class Check>
  void for_every_k(const Operation& operation, Check&& check) {
    const auto& [ranks, bad_rank, fault, strategy] = GetParam();
    std::int64_t failures = 0;
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k << " of rank " << bad_rank << " of " << ranks);
      const Outcome outcome = run_with_fault(ranks, bad_rank, k, fault, operation);
      if (!outcome.reached) break;
      ++failures;
      expect_same_error_everywhere(outcome);
      check();
      ASSERT_FALSE(HasFailure());
      ASSERT_LT(k, 1000);
    }
    EXPECT_GE(failures, may_be_idle(directory_.path(), bad_rank) ? 0 : 2);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "conf.ildg";
};

TEST_P(Writing, ANewFileAppearsWholeOrNotAtAll) {
  write_to(storage::posix(), Grid(lattice), directory_ / "whole.ildg", 1, {});
  const std::string whole = testing::contents(directory_ / "whole.ildg");
  for_every_k(
      [&](storage::Transport& transport, const Grid& grid) { write_to(transport, grid, path_, 1, {.route = route()}); },
      [&] {
        // Only a failure behind the rename, of the directory's sync, leaves the complete file.
        if (std::filesystem::exists(path_)) {
          EXPECT_EQ(testing::contents(path_), whole);
        }
        EXPECT_EQ(files_in(directory_.path()), std::filesystem::exists(path_) ? 2U : 1U);
        std::filesystem::remove(path_);
      });
}

TEST_P(Writing, AnExistingFileStaysUntilTheNewOneIsComplete) {
  write_to(storage::posix(), Grid(lattice), directory_ / "new.ildg", 2, {});
  write_to(storage::posix(), Grid(lattice), path_, 1, {});
  const std::string before = testing::contents(path_), after = testing::contents(directory_ / "new.ildg");
  for_every_k(
      [&](storage::Transport& transport, const Grid& grid) {
        write_to(transport, grid, path_, 2, {.verify = Verify::read_back, .overwrite = true, .route = route()});
      },
      [&] {
        const std::string now = testing::contents(path_);
        EXPECT_TRUE(now == before || now == after);
        EXPECT_EQ(files_in(directory_.path()), 2U);
        std::ofstream(path_, std::ios::binary) << before;
      });
}

TEST_P(Writing, ReadingFailsTheSameOnAllRanks) {
  write_to(storage::posix(), Grid(lattice), path_, 1, {});
  for_every_k(
      [&](storage::Transport& transport, const Grid& grid) {
        std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * 72));
        read_field(transport, path_, grid, gauge(values), {.route = route()});
      },
      [] {});
}

INSTANTIATE_TEST_SUITE_P(Ranks, Writing,
                         ::testing::Values(Scenario{1, 0, Fault::error}, Scenario{1, 0, Fault::short_write},
                                           Scenario{1, 0, Fault::no_space}, Scenario{3, 0, Fault::error},
                                           Scenario{3, 0, Fault::no_space}, Scenario{3, 2, Fault::error},
                                           Scenario{3, 2, Fault::short_write}, Scenario{3, 1, Fault::no_space}));
INSTANTIATE_TEST_SUITE_P(Exchanging, Writing,
                         ::testing::Values(Scenario{3, 0, Fault::error, Strategy::shared},
                                           Scenario{3, 2, Fault::short_write, Strategy::shared},
                                           Scenario{4, 1, Fault::no_space, Strategy::shared},
                                           Scenario{3, 1, Fault::error, Strategy::pull},
                                           Scenario{4, 3, Fault::short_write, Strategy::pull},
                                           Scenario{3, 0, Fault::no_space, Strategy::pull},
                                           Scenario{3, 1, Fault::error, Strategy::messages},
                                           Scenario{4, 2, Fault::short_write, Strategy::messages},
                                           Scenario{3, 0, Fault::no_space, Strategy::messages}));

// A rank whose function throws while the others are in the exchange, and one whose storage fails in the background.
class Exchanging : public ::testing::TestWithParam<Strategy> {
 protected:
  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "conf.ildg";
};

TEST_P(Exchanging, AFunctionThatThrowsIsAnErrorOnAllRanks) {
  for (const int bad : {0, 2}) {
    const auto errors = testing::outcomes_of_ranks(
        4,
        [&](std::shared_ptr<comm::Comm> comm) {
          const bool is_bad = comm->rank() == bad;
          const Grid grid(Communicator(std::move(comm)), lattice, {.processes = Extents{4, 1, 1, 1}});
          int calls = 0;
          Field field{gauge_spec(Precision::double_), nullptr, 0, {}, [&](const Coord&, void* site) {
                        std::fill_n(static_cast<double*>(site), 72, 1.0);
                        if (is_bad && ++calls == 5) throw Error(Code::invalid_argument, "this site cannot be had");
                      }};
          write_field(storage::posix(), path_, grid, field, {.route = {.strategy = GetParam(), .chunk_bytes = 4096}});
        },
        {.ranks_per_node = 2});
    for (const auto& failure : errors) {
      ASSERT_NE(failure, nullptr);
      EXPECT_EQ(std::string(error_of([&] { std::rethrow_exception(failure); }).what()),
                "this site cannot be had (rank " + std::to_string(bad) + ")");
    }
    EXPECT_EQ(files_in(directory_.path()), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(By, Exchanging, ::testing::Values(Strategy::direct, Strategy::shared, Strategy::messages));

TEST(Publishing, FilesOfOneFieldAppearTogetherOrNotAtAll) {
  static const testing::TiledFormat tiled;
  static constexpr std::array<std::string_view, 1> suffixes{".tiled"};
  const format::Format two_files{
      {.name = "tiled", .holds = "one field", .begins = "\"tiled 1\"", .suffixes = suffixes}, &tiled, &tiled, &tiled};
  const format::AddedFormat added(two_files);
  const testing::ScratchDirectory directory;
  int failures = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    const Outcome outcome = run_with_fault(2, 0, k, Fault::error, [&](storage::Transport& transport, const Grid& grid) {
      const std::vector<double> values = testing::formula_sites<double>(grid, 3);
      write_field(transport, directory / "a.tiled", grid, field_in(values, generic_spec(Precision::double_, 3, false)),
                  {});
    });
    if (!outcome.reached) break;
    failures += outcome.errors.front() != nullptr ? 1 : 0;
    settle_replacement(storage::posix(), directory / "a.tiled", Sync::none);
    const bool is_there = std::filesystem::exists(directory / "a.tiled");
    EXPECT_EQ(std::filesystem::exists(directory / "a.tiled.odd"), is_there);
    EXPECT_EQ(files_in(directory.path()), is_there ? 2U : 0U);
    std::filesystem::remove(directory / "a.tiled");
    std::filesystem::remove(directory / "a.tiled.odd");
  }
  EXPECT_GE(failures, 10);
}

TEST(Publishing, AFailureBehindTheRenameSaysThatTheFileIsComplete) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "conf.ildg";
  int seen = 0;
  for (std::int64_t k = 0;; ++k) {
    const Outcome outcome = run_with_fault(2, 0, k, Fault::error, [&](storage::Transport& transport, const Grid& grid) {
      write_to(transport, grid, path, 1, {});
    });
    if (!outcome.reached) break;
    const Error error = error_of([&] { std::rethrow_exception(outcome.errors.back()); });
    const bool says_so = std::string_view(error.what()).find("the file is complete") != std::string_view::npos;
    EXPECT_EQ(says_so, std::filesystem::exists(path)) << error.what();
    seen += says_so ? 1 : 0;
    std::filesystem::remove(path);
  }
  EXPECT_EQ(seen, 1);
}

// A job that is killed dies with all its ranks, as MPI sees to it: here a process of its own whose ranks are threads.
int status_of_killed_writer(const std::string& path, int bad_rank, std::int64_t k) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Outcome outcome =
        run_with_fault(3, bad_rank, k, Fault::kill, [&](storage::Transport& transport, const Grid& grid) {
          write_to(transport, grid, path, 2, {.overwrite = true});
        });
    ::_exit(outcome.errors.front() == nullptr ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Killing, TheWriterLeavesTheOldFileOrTheCompleteNewOne) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "conf.ildg";
  write_to(storage::posix(), Grid(lattice), directory / "new.ildg", 2, {});
  write_to(storage::posix(), Grid(lattice), path, 1, {});
  const std::string before = testing::contents(path), after = testing::contents(directory / "new.ildg");
  for (const int bad_rank : {0, 2}) {
    int kills = 0;
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k << " of rank " << bad_rank);
      const int status = status_of_killed_writer(path, bad_rank, k);
      const std::string now = testing::contents(path);
      EXPECT_TRUE(now == before || now == after);
      if (!WIFSIGNALED(status)) {
        EXPECT_EQ(status, 0);
        EXPECT_EQ(now, after);
        break;
      }
      ++kills;
    }
    EXPECT_GE(kills, may_be_idle(directory.path(), bad_rank) ? 0 : 3);
    std::ofstream(path, std::ios::binary) << before;
  }
}

}  // namespace
}  // namespace lq::io
