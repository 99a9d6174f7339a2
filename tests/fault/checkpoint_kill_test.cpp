// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that writes sets is killed at any moment, LQ_KILLS times (default 20). Claim: the set before is untouched,
// or the new one is complete; of an unfinished one repair recovers every byte whose write or flush had returned, and
// delivers no wrong one; readers see no mixture.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::stream_bytes;

constexpr int ranks = 3, streams = 2, most_tasks = 8;

// What the child has told before it dies; in memory that outlives it.
struct Diary {
  std::atomic<std::uint64_t> steps{0};
  std::atomic<std::uint64_t> kept[most_tasks]{};  // bytes of each task that are recoverable
};

class Killed : public ::testing::TestWithParam<Compression> {
 protected:
  Killed()
      : diary_(static_cast<Diary*>(
            ::mmap(nullptr, sizeof(Diary), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Killed() override { ::munmap(diary_, sizeof(Diary)); }

  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << "built without " << name(GetParam());
  }

  static int kills() {
    const char* text = std::getenv("LQ_KILLS");
    return text != nullptr ? std::atoi(text) : 20;
  }

  MultifileOptions options() const {
    MultifileOptions options;
    options.streams = streams;
    options.files = 2;
    options.expected_bytes = 50'000;
    options.buffer_bytes = 8'000;
    options.overwrite = true;
    options.compression = GetParam();
    return options;
  }

  // Writes of all sizes; what returned is told.
  void write(MultifileWriter& writer, unsigned seed) {
    std::mt19937 random(seed);
    for (int step = 0; step < 60; ++step) {
      for (std::size_t i = 0; i < writer.streams(); ++i) {
        OutStream& stream = writer.stream(i);
        const auto task = static_cast<std::uint64_t>(stream.task());
        const std::uint64_t bytes = random() % (step % 7 == 0 ? 60'000U : 900U) + 1;
        stream.write(stream_bytes(task, stream.size(), bytes));
        const bool flushes = random() % 4 == 0;
        if (flushes) stream.flush();
        if (flushes) diary_->kept[task] = stream.size();
      }
      ++diary_->steps;
    }
  }

  // The child: one set after the other, each replacing the one before, or each going on with it.
  [[noreturn]] void live(unsigned seed, bool appends) {
    for (unsigned round = 0; round < 1000; ++round) {
      testing::outcomes_of_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
        const auto rank = static_cast<unsigned>(comm->rank());
        const Communicator all(std::move(comm));
        for (unsigned i = 0; !appends && i < streams; ++i) diary_->kept[rank * streams + i] = 0;  // of the set before
        MultifileWriter writer =
            appends ? MultifileWriter::append(path_, all, options()) : MultifileWriter(path_, all, options());
        for (std::size_t i = 0; i < writer.streams(); ++i) {
          diary_->kept[writer.stream(i).task()] = writer.stream(i).size();
        }
        write(writer, seed + 1000 * round + rank);
        writer.close();
        ++diary_->steps;
      });
      if (appends && round == 3) break;
    }
    ::_exit(0);
  }

  void kill_after(std::uint64_t steps, unsigned seed, bool appends) {
    diary_->steps = 0;
    for (auto& kept : diary_->kept) kept = 0;
    const pid_t child = ::fork();
    if (child == 0) live(seed, appends);
    int status = 0;
    while (diary_->steps < steps && ::waitpid(child, &status, WNOHANG) == 0) ::sched_yield();
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }

  // Bytes of each task; every one is right.
  static std::vector<std::uint64_t> sizes(const std::string& path) {
    const MultifileReader reader(path);
    std::vector<std::uint64_t> sizes;
    for (std::int64_t task = 0; task < reader.tasks(); ++task) {
      const auto bytes = reader.task(task).read_all();
      EXPECT_EQ(testing::first_wrong(bytes, static_cast<std::uint64_t>(task)), bytes.size()) << "task " << task;
      sizes.push_back(bytes.size());
    }
    return sizes;
  }

  std::vector<std::string> parts() {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      if (testing::is_temporary(entry.path().string())) found.push_back(entry.path().string());
    }
    return found;
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
  Diary* diary_;
};

TEST_P(Killed, WritersOfNewSetsLoseNothingThatWasFlushed) {
  std::mt19937 random(7);
  int recovered = 0;
  for (int round = 0; round < kills(); ++round) {
    SCOPED_TRACE(::testing::Message() << "kill " << round);
    kill_after(1 + random() % 400, static_cast<unsigned>(random()), false);
    const bool had_set = fs::exists(path_);
    if (had_set) {
      EXPECT_EQ(sizes(path_).size(), static_cast<std::size_t>(ranks * streams));
    }
    const std::vector<std::string> left = parts();
    if (!left.empty()) {
      RepairReport report;
      const Error error = error_of([&] { report = repair_multifile(left.front(), {.overwrite = true}); });
      std::uint64_t told = 0;
      for (const auto& kept : diary_->kept) told += kept;
      // Only a set of which nothing was written yet cannot be repaired.
      EXPECT_TRUE(error.code() == Code::ok || told == 0) << error.what();
      if (error.code() == Code::ok) {
        EXPECT_TRUE(report.lost.empty());
        const auto now = sizes(path_);
        for (std::size_t task = 0; task < now.size(); ++task) EXPECT_GE(now[task], diary_->kept[task]) << task;
        ++recovered;
      }
    }
    for (const std::string& part : parts()) fs::remove(part);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(recovered, kills() / 4);
}

TEST_P(Killed, WritersThatGoOnLoseNeitherOldNorNew) {
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    MultifileWriter writer(path_, Communicator(std::move(comm)), options());
    write(writer, 1);
    writer.close();
  });
  std::mt19937 random(11);
  int recovered = 0;
  for (int round = 0; round < kills() / 4 + 1; ++round) {
    SCOPED_TRACE(::testing::Message() << "kill " << round);
    const std::vector<std::uint64_t> before = sizes(path_);
    kill_after(1 + random() % 200, static_cast<unsigned>(random()), true);
    const RepairReport report = repair_multifile(path_);
    EXPECT_TRUE(report.lost.empty());
    recovered += report.outcome == RepairReport::Outcome::recovered ? 1 : 0;
    const auto now = sizes(path_);
    for (std::size_t task = 0; task < before.size(); ++task) EXPECT_GE(now[task], before[task]) << task;
    for (std::size_t task = 0; task < now.size(); ++task) EXPECT_GE(now[task], diary_->kept[task]) << task;
    for (const std::string& part : parts()) fs::remove(part);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(recovered, 0);
}

INSTANTIATE_TEST_SUITE_P(By, Killed, ::testing::Values(Compression::none, Compression::lz4),
                         [](const auto& by) { return std::string(name(by.param)); });

}  // namespace
}  // namespace lq
