// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/posix_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <limequat/error.hpp>
#include <limequat/stall.hpp>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "storage/transport.hpp"
#include "support/error_of.hpp"
#include "support/few_threads.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_directory.hpp"

namespace {

bool is_forked = false;

}  // namespace

// Asked by LeakSanitizer at exit: what the parent's threads have is reachable by nobody in a child.
extern "C" int __lsan_is_turned_off() { return is_forked ? 1 : 0; }

namespace lq::storage {
namespace {

using std::chrono::milliseconds;

// What is told while it lives.
class Told {
 public:
  explicit Told(double seconds) {
    watch_stalls(seconds, [this](const Stall& stall) {
      const std::lock_guard lock(mutex_);
      all_.push_back(stall);
    });
  }
  ~Told() { watch_stalls(1, {}); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  std::vector<Stall> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  void wait_for(std::size_t number) {
    while (all().size() < number) std::this_thread::sleep_for(milliseconds(1));
  }

 private:
  std::mutex mutex_;
  std::vector<Stall> all_;
};

TEST(Stalls, AreToldWhileTheyLast) {
  Told told(0.05);
  const std::string path = "d/conf.ildg";
  const auto begin = std::chrono::steady_clock::now();
  { const WatchedCall quick("read", path, 1, 2); }
  const WatchedCall call("write", path, 4096, 1048576);
  told.wait_for(3);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  double before = 0;
  for (const Stall& stall : told.all()) {
    EXPECT_EQ(stall.call, "write");
    EXPECT_EQ(stall.path, path);
    EXPECT_EQ(stall.offset, 4096U);
    EXPECT_EQ(stall.bytes, 1048576U);
    EXPECT_GE(stall.seconds, 0.05);
    EXPECT_GE(stall.seconds, 2 * before);  // ever more seldom
    EXPECT_LE(stall.seconds, passed.count());
    before = stall.seconds;
  }
}

TEST(Stalls, OfSeveralThreadsAreToldApart) {
  Told told(0.02);
  std::vector<std::thread> threads;
  std::vector<std::string> paths{"a", "b", "c", "d"};
  for (const std::string& path : paths) {
    threads.emplace_back([&path] {
      const WatchedCall call("sync", path);
      std::this_thread::sleep_for(milliseconds(path == "b" ? 1 : 200));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> found;
  for (const Stall& stall : told.all()) found.push_back(stall.path);
  for (const char* path : {"a", "c", "d"}) EXPECT_NE(std::ranges::count(found, path), 0) << path;
}

TEST(Stalls, AreNotToldWhereAllIsWell) {
  Told told(0.5);
  const testing::ScratchDirectory scratch;
  for (int i = 0; i < 200; ++i) {
    const auto file = posix().create(scratch / std::to_string(i));
    file->write_at(0, base::as_bytes("bytes"));
    file->sync();
    file->close();
    posix().rename(scratch / std::to_string(i), scratch / "last");
  }
  EXPECT_TRUE(told.all().empty());
}

TEST(Stalls, AreToldByAThreadThatTakesNoSignalsOfTheProgram) {
  std::atomic<int> is_blocked{-1};
  watch_stalls(0.01, [&](const Stall&) {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    is_blocked = ::sigismember(&blocked, SIGUSR1);
  });
  {
    const std::string path = "slow";
    const WatchedCall call("read", path, 0, 1);
    while (is_blocked < 0) std::this_thread::yield();
  }
  watch_stalls(1, {});
  EXPECT_EQ(is_blocked, 1);
}

TEST(Stalls, CannotBeToldWithoutAThread) {
  if (!testing::can_limit_threads) GTEST_SKIP() << "sanitizers need the address space";
  EXPECT_TRUE(testing::with_few_threads([] {
    const struct rlimit none {};
    ::setrlimit(RLIMIT_AS, &none);
    testing::take_all_threads();
    const Error error = testing::error_of([] { watch_stalls(1, [](const Stall&) {}); });
    return error.code() == Code::out_of_memory;
  }));
}

// A child has no watching thread; it may have been forked while that held a lock.
TEST(Stalls, LeaveForkedChildrenAlone) {
  if (testing::has_thread_sanitizer) GTEST_SKIP() << "the sanitizer allows no threads in children";
  Told told(0.001);
  const std::string path = "slow";
  const WatchedCall call("read", path, 0, 1);
  told.wait_for(1);
  for (int i = 0; i < 50; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      is_forked = true;
      ::alarm(60);
      ::close(STDOUT_FILENO);
      { const WatchedCall of_child("write", path, 0, 1); }
      watch_stalls(1, [](const Stall&) {});
      std::exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

// Longer than what messages quote of foreign bytes: a file system is found by the whole name.
const std::string long_path = "d/" + std::string(250, 'e') + "/conf.ildg";

// What a process says that was not asked to watch: its first line on stderr.
std::string line_of_a_child(const char* variable, double by_default) {
  const testing::ScratchDirectory scratch;
  const std::string said = scratch / "said", path = "d/conf.ildg";
  const pid_t child = ::fork();  // for which nothing is decided yet
  if (child == 0) {
    ::alarm(60);
    ::close(STDERR_FILENO);
    if (::open(said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600) != STDERR_FILENO) ::_exit(2);
    if (variable != nullptr) ::setenv("LQ_WATCH_STALLS", variable, 1);
    watch_stalls_by_default(by_default, "program: rank 3");
    const WatchedCall call("sync", long_path);
    const bool is_told = variable == nullptr ? by_default > 0 : std::string_view(variable) != "0";
    for (struct stat status{}; is_told && status.st_size == 0; ::usleep(1000)) ::stat(said.c_str(), &status);
    if (!is_told) ::usleep(20000);
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  std::ifstream file(said);
  std::string line;
  std::getline(file, line);
  return line;
}

TEST(Stalls, AreToldByDefaultAsTheEnvironmentSays) {
  const std::string line =
      "program: rank 3 has waited for 0 s in sync of " + long_path + "; the file system does not answer";
  EXPECT_EQ(line_of_a_child(nullptr, 0.01), line);
  EXPECT_EQ(line_of_a_child(nullptr, 0), "");
  EXPECT_EQ(line_of_a_child("0.01", 0), line);
  EXPECT_EQ(line_of_a_child("0", 0.01), "");
  EXPECT_EQ(line_of_a_child("soon", 0.01),
            "limequat: LQ_WATCH_STALLS is \"soon\", expected seconds, or 0 to switch the watch off");
}

TEST(Stalls, HaveASentence) {
  EXPECT_EQ(to_string(Stall{"write", "/d/.a.01234567", 4096, 100, 30.2}),
            "has waited for 30 s in write of 100 bytes at byte 4096 of /d/.a.01234567");
  EXPECT_EQ(to_string(Stall{"sync", "/d/a", 0, 0, 61}), "has waited for 61 s in sync of /d/a");
}

TEST(Stalls, NeedAPositiveTime) {
  for (const double seconds : {0.0, -1.0, 1e300}) {
    EXPECT_EQ(testing::error_of([&] { watch_stalls(seconds, [](const Stall&) {}); }).code(), Code::invalid_argument);
  }
}

}  // namespace
}  // namespace lq::storage
