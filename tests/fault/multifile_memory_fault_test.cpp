// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one rank while a multifile of sion.h is written or read together: at every allocation, once
// or for good. Claim: nobody waits for ever, and all ranks throw the same error or none.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "multifile/parallel_file.hpp"
#include "multifile/threads.hpp"
#include "support/memory_fault.hpp"
#include "support/multifile_vectors.hpp"
#include "support/scratch_directory.hpp"

namespace lq::multifile {
namespace {

using testing::MemoryFaults;
using testing::vector_bytes;

constexpr int ranks = 4;
constexpr std::int64_t piece_bytes = 700;

struct Case {
  const char* name;
  const char* mode;
  int files;
  int threads;  // of each rank, as tasks
  int bad_rank;
  bool for_good;
};

class MemoryOfMultifiles : public ::testing::TestWithParam<Case> {
 protected:
  using Body = std::function<void(const std::shared_ptr<Team>& team)>;

  // What a program does is its own affair, so that it agrees by itself.
  static void together(comm::Comm& all, base::FunctionRef<void()> work) {
    std::exception_ptr failure;
    base::keep_failure(failure, work);
    comm::agree_on_success(all, failure);
  }

  void write(const std::shared_ptr<Team>& team) const {
    comm::Comm& all = team->all();
    std::unique_ptr<ParallelFile> file;
    Creation request;
    together(all, [&] {
      request.path = path_;
      request.mode = parse_mode("bw,posix" + std::string(GetParam().mode));
      request.chunk_bytes = 2 * piece_bytes;
      request.block_size = 512;
      request.rank = all.rank();
      request.location = locate_evenly(all.rank(), all.size(), GetParam().files);
    });
    file = ParallelFile::create(team, request);
    for (int piece = 0; piece < 2; ++piece) {
      together(all, [&] { file->write_together(data_[static_cast<std::size_t>(all.rank())]); });
    }
    file->close();
  }

  void read(const std::shared_ptr<Team>& team) const {
    comm::Comm& all = team->all();
    Opening request;
    std::vector<std::byte> buffer;
    together(all, [&] {
      request.path = path_;
      request.mode = parse_mode("br,posix" + std::string(GetParam().mode));
      buffer.resize(piece_bytes);
    });
    const auto file =
        request.mode.buddies > 0
            ? ParallelFile::open_with_buddies(team, request, locate_evenly(all.rank(), all.size(), GetParam().files))
            : ParallelFile::open(team, request);
    std::size_t got = 0;
    together(all, [&] { got = file->is_collective() ? file->read_together(buffer) : file->read(buffer); });
    // Merged data are in the stream of the collector.
    if (got > 0 || std::string_view(GetParam().mode).find("cmerge") == std::string_view::npos) {
      EXPECT_TRUE(buffer == data_[static_cast<std::size_t>(all.rank())]);
    }
    file->close();
  }

  // A rank as a program has it before it opens anything: one task, or threads that are.
  static std::vector<std::shared_ptr<Team>> teams_of(const std::shared_ptr<comm::Comm>& comm) {
    const int threads = GetParam().threads;
    if (threads == 1) return {make_team(comm)};
    std::vector<std::shared_ptr<Team>> teams;
    const auto shared = std::make_shared<ThreadsComm::Shared>(threads, comm);
    for (int t = 0; t < threads; ++t) {
      teams.push_back(std::make_shared<ThreadsTeam>(std::make_shared<ThreadsComm>(shared, t)));
    }
    return teams;
  }

  // The first task is the one whose memory runs out.
  static void live(const std::vector<std::shared_ptr<Team>>& teams, const Body& body) {
    if (teams.size() == 1) return body(teams.front());
    std::vector<std::exception_ptr> failures;
    std::vector<std::thread> others;
    {
      const testing::OwnedBy nobody(nullptr);
      failures.resize(teams.size());
      for (std::size_t t = 1; t < teams.size(); ++t) {
        others.emplace_back([&, t] { base::keep_failure(failures[t], [&] { body(teams[t]); }); });
      }
    }
    base::keep_failure(failures.front(), [&] { body(teams.front()); });
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& failure : failures) {
      EXPECT_EQ(failure == nullptr, failures.front() == nullptr) << "threads of one rank";
    }
    if (failures.front()) std::rethrow_exception(failures.front());
  }

  std::int64_t faults_in(const Body& body) {
    MemoryFaults faults(ranks, GetParam().bad_rank, GetParam().for_good);
    while (faults.next([&](const Communicator& all) {
      const auto handle = std::make_shared<Communicator>(all);
      return [&body, teams = teams_of({handle, &handle->engine()})] { live(teams, body); };
    })) {
      if (HasFailure()) return 0;
    }
    return faults.failures();
  }

  void SetUp() override {
    for (int task = 0; task < ranks * GetParam().threads; ++task) {
      data_.push_back(vector_bytes(7, task, 0, piece_bytes));
    }
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "a multifile whose name is too long for a string without memory.sion";
  std::vector<std::vector<std::byte>> data_;  // of each task
};

TEST_P(MemoryOfMultifiles, RunsOutWhileTheyAreWritten) {
  EXPECT_GE(faults_in([&](const std::shared_ptr<Team>& team) { write(team); }), 10);
}

TEST_P(MemoryOfMultifiles, RunsOutWhileTheyAreRead) {
  testing::run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
    live(teams_of(comm), [&](const std::shared_ptr<Team>& team) { write(team); });
  });
  // What is missing comes out of its copy.
  if (parse_mode("bw" + std::string(GetParam().mode)).buddies > 0) std::filesystem::remove(path_ + ".000001");
  EXPECT_GE(faults_in([&](const std::shared_ptr<Team>& team) { read(team); }), 10);
}

INSTANTIATE_TEST_SUITE_P(OnOneRank, MemoryOfMultifiles,
                         ::testing::Values(Case{"collector_once", ",collective,collsize=4", 1, 1, 0, false},
                                           Case{"sender_for_good", ",collective,collsize=4", 1, 1, 1, true},
                                           Case{"files_once", ",collective,collsize=2", 2, 1, 0, false},
                                           Case{"files_of_sender_for_good", ",collective,collsize=2", 2, 1, 3, true},
                                           Case{"merging_once", ",collective,cmerge,collsize=4", 1, 1, 1, false},
                                           Case{"buddies_once", ",buddy", 2, 1, 0, false},
                                           Case{"buddies_of_sender_for_good", ",buddy", 2, 1, 1, true},
                                           Case{"threads_once", ",collective,collsize=4", 1, 2, 0, false},
                                           Case{"threads_of_sender_for_good", ",collective,collsize=4", 1, 2, 1, true}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lq::multifile
