// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k and every rank: the k-th operation of that rank's transport fails. Claim: the same error on all ranks,
// no hang, what existed is intact, and nothing half-written is left.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <limequat/error.hpp>

#include "io/read.hpp"
#include "io/write.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;

const Extents lattice{2, 2, 2, 6};

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const std::string& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

// What one run with a fault did.
struct Outcome {
  std::vector<std::exception_ptr> errors;  // per rank
  bool reached = false;                    // the operation was reached
};

using Operation = std::function<void(transport::Transport&, const Grid&)>;

Outcome run_with_fault(int ranks, int bad_rank, std::int64_t k, Fault fault, const Operation& operation) {
  Outcome outcome;
  FaultyTransport faulty(transport::posix(), k, fault);
  outcome.errors = testing::outcomes_of_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    transport::Transport& mine =
        comm->rank() == bad_rank ? static_cast<transport::Transport&>(faulty) : transport::posix();
    const Grid grid(Communicator(std::move(comm)), lattice);
    operation(mine, grid);
  });
  outcome.reached = faulty.has_failed();
  return outcome;
}

void expect_same_error_everywhere(const Outcome& outcome) {
  ASSERT_NE(outcome.errors.front(), nullptr);
  const Error first = error_of([&] { std::rethrow_exception(outcome.errors.front()); });
  EXPECT_FALSE(first.facts().path.ends_with(".part")) << first.what();
  for (const std::exception_ptr& other : outcome.errors) {
    ASSERT_NE(other, nullptr);
    const Error error = error_of([&] { std::rethrow_exception(other); });
    EXPECT_EQ(error.code(), first.code());
    EXPECT_STREQ(error.what(), first.what());
  }
}

void write_to(transport::Transport& transport, const Grid& grid, const std::string& path, double factor,
              const WriteOptions& options) {
  std::vector<double> values = testing::formula_sites<double>(grid, 72);
  for (double& value : values) value *= factor;
  write_field(transport, path, grid, gauge(values), options);
}

struct Scenario {
  int ranks;
  int bad_rank;
  Fault fault;
};

class Writing : public ::testing::TestWithParam<Scenario> {
 protected:
  // Runs the operation with the fault at k = 0, 1, 2, ... until it is no longer reached.
  template <class Check>
  void for_every_k(const Operation& operation, Check&& check) {
    const auto& [ranks, bad_rank, fault] = GetParam();
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
    EXPECT_GE(failures, 2);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "conf.ildg";
};

TEST_P(Writing, ANewFileAppearsWholeOrNotAtAll) {
  write_to(transport::posix(), Grid(lattice), directory_ / "whole.ildg", 1, {});
  const std::string whole = contents(directory_ / "whole.ildg");
  for_every_k([&](transport::Transport& transport, const Grid& grid) { write_to(transport, grid, path_, 1, {}); },
              [&] {
                // Only a failure behind the rename, of the directory's sync, leaves the complete file.
                if (std::filesystem::exists(path_)) {
                  EXPECT_EQ(contents(path_), whole);
                }
                EXPECT_EQ(files_in(directory_.path()), std::filesystem::exists(path_) ? 2U : 1U);
                std::filesystem::remove(path_);
              });
}

TEST_P(Writing, AnExistingFileStaysUntilTheNewOneIsComplete) {
  write_to(transport::posix(), Grid(lattice), directory_ / "new.ildg", 2, {});
  write_to(transport::posix(), Grid(lattice), path_, 1, {});
  const std::string before = contents(path_), after = contents(directory_ / "new.ildg");
  for_every_k(
      [&](transport::Transport& transport, const Grid& grid) {
        write_to(transport, grid, path_, 2, {.verify = Verify::read_back, .overwrite = true});
      },
      [&] {
        const std::string now = contents(path_);
        EXPECT_TRUE(now == before || now == after);
        EXPECT_EQ(files_in(directory_.path()), 2U);
        std::ofstream(path_, std::ios::binary) << before;
      });
}

TEST_P(Writing, ReadingFailsTheSameOnAllRanks) {
  write_to(transport::posix(), Grid(lattice), path_, 1, {});
  for_every_k(
      [&](transport::Transport& transport, const Grid& grid) {
        std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * 72));
        read_field(transport, path_, grid, gauge(values), {});
      },
      [] {});
}

INSTANTIATE_TEST_SUITE_P(Ranks, Writing,
                         ::testing::Values(Scenario{1, 0, Fault::error}, Scenario{1, 0, Fault::short_write},
                                           Scenario{1, 0, Fault::no_space}, Scenario{3, 0, Fault::error},
                                           Scenario{3, 0, Fault::no_space}, Scenario{3, 2, Fault::error},
                                           Scenario{3, 2, Fault::short_write}, Scenario{3, 1, Fault::no_space}));

TEST(Publishing, AFailureBehindTheRenameSaysThatTheFileIsComplete) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "conf.ildg";
  int seen = 0;
  for (std::int64_t k = 0;; ++k) {
    const Outcome outcome = run_with_fault(
        2, 0, k, Fault::error,
        [&](transport::Transport& transport, const Grid& grid) { write_to(transport, grid, path, 1, {}); });
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
        run_with_fault(3, bad_rank, k, Fault::kill, [&](transport::Transport& transport, const Grid& grid) {
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
  write_to(transport::posix(), Grid(lattice), directory / "new.ildg", 2, {});
  write_to(transport::posix(), Grid(lattice), path, 1, {});
  const std::string before = contents(path), after = contents(directory / "new.ildg");
  for (const int bad_rank : {0, 2}) {
    int kills = 0;
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k << " of rank " << bad_rank);
      const int status = status_of_killed_writer(path, bad_rank, k);
      const std::string now = contents(path);
      EXPECT_TRUE(now == before || now == after);
      if (!WIFSIGNALED(status)) {
        EXPECT_EQ(status, 0);
        EXPECT_EQ(now, after);
        break;
      }
      ++kills;
    }
    EXPECT_GE(kills, 3);
    std::ofstream(path, std::ios::binary) << before;
  }
}

}  // namespace
}  // namespace lq::io
