// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every writer of the library by one rank and by three, and every operation of the storage: it fails, or the program
// dies there; or the writer is started twice at once. Claim: whatever has a name of its own afterwards is a file that
// one run without a fault makes, or, where files grow, one that verifies; a program that has not died leaves nothing
// beside it but what whoever goes on begins with.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <limequat/limequat.hpp>

#include "io/new_file.hpp"
#include "io/replacement.hpp"
#include "support/error_of.hpp"
#include "support/every_writer.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::Fault;
using testing::Work;

// Sets of modes, files that fields are added to, and those that are never the same: they verify.
bool differs(const Work& work) { return work.name.starts_with("modes") || work.name == "writer" || work.is_marked; }

// What resuming, appending and repairing begin with: journals, records, copies that can be gone on with.
bool is_for_later(const std::string& name) { return name.front() == '.' && name.find(".lq-") != std::string::npos; }

int from_environment(const char* name, int usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : std::atoi(text);
}

class EveryWriter : public ::testing::TestWithParam<std::tuple<Work, int>> {
 protected:
  EveryWriter() {
    testing::write_source(source_);
    fs::create_directory(alone_);
    what_.run(source_, alone_ + "/file", Communicator());
    start_anew();
  }

  void SetUp() override {
    if (what_.is_by_one && ranks_ > 1) GTEST_SKIP() << "a call of one process";
  }

  void start_anew() const {
    fs::remove_all(there_);
    fs::create_directory(there_);
  }
  // On ranks that are threads, all of which end alike.
  void work() const {
    const std::string to = there_ + "/file";
    const auto outcomes = testing::outcomes_of_ranks(
        ranks_, [&](std::shared_ptr<comm::Comm> comm) { what_.run(source_, to, Communicator(std::move(comm))); });
    const Error first = error_in(outcomes.front());
    for (const std::exception_ptr& outcome : outcomes) EXPECT_STREQ(error_in(outcome).what(), first.what());
    if (outcomes.front()) std::rethrow_exception(outcomes.front());
  }
  static Error error_in(const std::exception_ptr& failure) {
    return error_of([&] {
      if (failure) std::rethrow_exception(failure);
    });
  }

  // Nobody needs what `lq info` says may be removed.
  void remove_what_info_offers() const {
    std::vector<std::string> offered;
    for (const std::string& name : testing::files_in(there_)) {
      if (name.front() == '.') continue;
      const Error error = error_of([&] {
        for (const std::string& path : io::unneeded_leftovers(inspect(there_ + "/" + name))) offered.push_back(path);
      });
    }
    for (const std::string& path : offered) fs::remove(path);
  }

  // Fields get their name before the set that they belong to; `lq repair` of the set completes both.
  void complete_set() const {
    if (!fs::exists(there_ + "/file.fields") || fs::exists(there_ + "/file")) return;
    for (const std::string& name : testing::files_in(there_)) {
      if (!name.starts_with(".file.") || name.find('.', 6) != std::string::npos) continue;
      EXPECT_EQ(repair_multifile(there_ + "/" + name).path, there_ + "/file");
    }
    EXPECT_TRUE(fs::exists(there_ + "/file"));
  }

  // Subfiles have other names each time.
  void expect_whole_files(bool died) const {
    if (died) remove_what_info_offers();
    if (died) complete_set();
    io::settle_replacement(storage::posix(), there_ + "/file", Sync::none);  // as `lq repair` does
    for (const auto& entry : fs::directory_iterator(there_)) {
      const std::string name = entry.path().filename();
      if (entry.is_directory()) {
        EXPECT_TRUE(name.find(".set") != std::string::npos || testing::are_valid(entry.path())) << name;
        continue;
      }
      if (name.front() == '.') {
        EXPECT_TRUE(died || is_for_later(name)) << name;
        continue;
      }
      if (!fs::exists(alone_ + "/" + name) || name.find(".set") != std::string::npos) continue;
      const std::string bytes = testing::contents(entry.path());
      if (bytes == testing::contents(alone_ + "/" + name)) continue;
      if (name.ends_with(".lq-parity")) {  // which has the time of its file
        EXPECT_TRUE(protect({entry.path()}, {}, {.check = true}).ok) << name;
        continue;
      }
      EXPECT_TRUE(differs(what_)) << name << ": " << bytes.size() << " bytes";
      EXPECT_TRUE(verify(entry.path()).ok) << name;
    }
  }

  const Work what_ = std::get<0>(GetParam());
  const int ranks_ = std::get<1>(GetParam());
  testing::ScratchDirectory directory_;
  const std::string source_ = directory_ / "source.ildg", alone_ = directory_ / "alone", there_ = directory_ / "there";
};

TEST_P(EveryWriter, MayFailAtAnyOperation) {
  // By three ranks one in five of them, or with LQ_ALL each.
  const std::int64_t stride = ranks_ == 1 || std::getenv("LQ_ALL") != nullptr ? 1 : 5;
  std::int64_t operations = 0;
  for (std::int64_t k = 0;; k += stride) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    ASSERT_LT(k, 3000);
    start_anew();
    testing::FaultyTransport faulty(storage::posix(), k, Fault::error);
    Error error(Code::ok, "");
    {
      const storage::Mount mount(there_, faulty);
      error = error_of([&] { work(); });
    }
    if (!faulty.has_failed()) break;
    ++operations;
    if (error.code() == Code::ok) {
      for (const auto& [name, bytes] : testing::files_made_in(alone_)) {
        EXPECT_TRUE(what_.is_marked || testing::contents(there_ + "/" + name) == bytes) << name;
      }
    }
    // A multifile that is complete, but has not all its names.
    const bool is_for_repair = std::string_view(error.what()).find("lq repair") != std::string_view::npos;
    if (is_for_repair && what_.is_marked && !fs::is_directory(there_ + "/file")) {
      repair_multifile(there_ + "/file");
      EXPECT_TRUE(verify(there_ + "/file").ok);
    }
    expect_whole_files(false);
    if (HasFailure()) return;
  }
  EXPECT_GE(operations * stride, 10);
}

TEST_P(EveryWriter, MayDieAtAnyOperation) {
  testing::FaultyTransport counted(storage::posix());
  {
    const storage::Mount mount(there_, counted);
    work();
  }
  // LQ_KILLS times; ranks come to their operations in another order each time.
  const int most = from_environment("LQ_KILLS", ranks_ == 1 ? 20 : 8);
  const std::int64_t kills = ranks_ == 1 ? std::min<std::int64_t>(most, counted.operations()) : most;
  for (std::int64_t i = 0; i < kills; ++i) {
    const std::int64_t k = i * counted.operations() / kills;
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    start_anew();
    const bool has_died = testing::dies_in([&] {
      testing::FaultyTransport faulty(storage::posix(), k, Fault::kill);
      const storage::Mount mount(there_, faulty);
      work();
    });
    EXPECT_TRUE(has_died || ranks_ > 1);  // several may have fewer operations this time
    expect_whole_files(true);
    if (HasFailure()) return;
  }
}

// A job that is started twice, LQ_ROUNDS times: both begin at the same time in the same folder.
TEST_P(EveryWriter, MayBeStartedTwice) {
  const int rounds = from_environment("LQ_ROUNDS", ranks_ == 1 ? 2 : 1);
  auto* const ready = static_cast<std::atomic<int>*>(
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(::testing::Message() << "round " << round);
    start_anew();
    new (ready) std::atomic<int>(0);
    std::array<pid_t, 2> jobs{};
    for (pid_t& job : jobs) {
      job = ::fork();
      if (job != 0) continue;
      ++*ready;
      while (*ready < 2) ::usleep(20);
      const Error error = error_of([&] { work(); });
      ::_exit(error.code() == Code::ok ? 0 : error.code() == Code::internal ? 2 : 1);
    }
    int done = 0;
    for (const pid_t job : jobs) {
      int status = 0;
      ASSERT_EQ(::waitpid(job, &status, 0), job);
      ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
      done += WEXITSTATUS(status) == 0 ? 1 : 0;
    }
    EXPECT_GE(done, 1);
    for (const auto& [name, bytes] : testing::files_made_in(alone_))
      EXPECT_TRUE(fs::exists(there_ + "/" + name)) << name;
    expect_whole_files(false);
    if (HasFailure()) break;
  }
  ::munmap(ready, sizeof(std::atomic<int>));
}

INSTANTIATE_TEST_SUITE_P(Works, EveryWriter,
                         ::testing::Combine(::testing::ValuesIn(testing::works()), ::testing::Values(1, 3)),
                         [](const auto& one) {
                           const int ranks = std::get<1>(one.param);
                           return std::get<0>(one.param).name + (ranks == 1 ? "" : "_by_" + std::to_string(ranks));
                         });

}  // namespace
}  // namespace lq
