// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/probes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "storage/forwarding.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::run_ranks;
using testing::ScratchDirectory;

std::vector<Probe> examined(int ranks, const std::string& folder) {
  std::mutex mutex;
  std::vector<std::vector<Probe>> answers;
  run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
    std::vector<Probe> mine = diagnosis::examine(*comm, storage::posix(), folder);
    const std::lock_guard lock(mutex);
    answers.push_back(std::move(mine));
  });
  for (const auto& other : answers) {
    EXPECT_EQ(other.size(), answers[0].size());
    for (std::size_t i = 0; i < std::min(other.size(), answers[0].size()); ++i) {
      EXPECT_EQ(other[i].name, answers[0][i].name);
      EXPECT_EQ(other[i].found, answers[0][i].found);
    }
  }
  return answers[0];
}

const Probe& probe_named(const std::vector<Probe>& probes, const std::string& name) {
  static const Probe none{"none", ProbeVerdict::fail, "", ""};
  for (const Probe& probe : probes) {
    if (probe.name == name) return probe;
  }
  return none;
}

TEST(Examination, AsksEveryQuestionOnceAndLeavesNothing) {
  const ScratchDirectory scratch;
  for (const int ranks : {1, 3}) {
    const std::vector<Probe> probes = examined(ranks, scratch.path());
    std::set<std::string> names;
    for (const Probe& probe : probes) {
      names.insert(probe.name);
      EXPECT_NE(probe.found, "") << probe.name;
      EXPECT_EQ(probe.action.empty(), probe.verdict == ProbeVerdict::pass) << probe.name;
    }
    EXPECT_EQ(probes.size(), 18u);
    EXPECT_EQ(names.size(), 18u);
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  }
}

// Every file takes 50 ms to be made: the examination ends soon after its time, and says what it left out.
TEST(Examination, EndsWhenItsTimeIsOver) {
  class Slow final : public storage::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation& creation) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return ForwardingTransport::create(path, creation);
    }
  } slow(storage::posix());
  const ScratchDirectory scratch;
  std::vector<std::string> told;
  const ExamineOptions options{.seconds = 0.05, .on_probe = [&](const Probe& probe) { told.push_back(probe.name); }};
  const std::vector<Probe> probes = diagnosis::examine(*comm::make_self(), slow, scratch.path(), options);
  ASSERT_EQ(probes.size(), 18u);
  ASSERT_EQ(told.size(), 18u);
  for (std::size_t i = 0; i < probes.size(); ++i) EXPECT_EQ(told[i], probes[i].name);
  EXPECT_EQ(probe_named(probes, "folder").verdict, ProbeVerdict::pass);
  EXPECT_EQ(probe_named(probes, "clock").verdict, ProbeVerdict::warn);
  EXPECT_NE(probe_named(probes, "clock").found.find("not tried"), std::string::npos);
  EXPECT_NE(probe_named(probes, "clock").action.find("--budget"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Examination, OfAFolderThatIsNotThereFailsWithoutError) {
  const std::vector<Probe> probes = examined(2, "/no/such/folder/at/all");
  EXPECT_EQ(worst_of(probes), ProbeVerdict::fail);
  EXPECT_EQ(probe_named(probes, "folder").verdict, ProbeVerdict::fail);
  EXPECT_NE(probe_named(probes, "folder").action, "");
  EXPECT_EQ(probe_named(probes, "rename").name, "none");  // not asked
}

TEST(Examination, OfASharedFolderFindsNothingFatal) {
  const char* folder = std::getenv("LQ_SHARED_FILE_SYSTEM");
  if (folder == nullptr) GTEST_SKIP() << "LQ_SHARED_FILE_SYSTEM names no folder of a shared file system";
  for (const Probe& probe : examined(2, folder)) {
    EXPECT_NE(probe.verdict, ProbeVerdict::fail) << probe.name << ": " << probe.found;
  }
}

TEST(Examination, TellsWhichRankSawTheFault) {
  std::mutex mutex;
  run_ranks(3, [&](const std::shared_ptr<comm::Comm>& comm) {
    const ProbeVerdict verdict = comm->rank() == 2   ? ProbeVerdict::fail
                                 : comm->rank() == 1 ? ProbeVerdict::warn
                                                     : ProbeVerdict::pass;
    const Probe worst = diagnosis::worst_over_ranks(*comm, {"x", verdict, "seen", "do"});
    const std::lock_guard lock(mutex);
    EXPECT_EQ(worst.verdict, ProbeVerdict::fail);
    EXPECT_EQ(worst.found, "rank 2: seen");
  });
}

}  // namespace
}  // namespace lq
