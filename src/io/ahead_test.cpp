// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who reads what is read ahead, in which order, and what storage is told before.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <limequat/async.hpp>

#include "storage/forwarding.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

using testing::formula_sites;

// Notes who reads, and what is to be fetched; large reads wait as they are told.
class Watched final : public storage::ForwardingTransport {
 public:
  explicit Watched(std::string_view file_system) : ForwardingTransport(storage::posix()), name_(file_system) {}
  storage::StorageTraits unit(const std::string&) override {
    storage::StorageTraits unit{.one_writer = name_ == "ext4"};
    name_.copy(unit.file_system.data(), unit.file_system.size() - 1);
    return unit;
  }

  // A read goes on when this holds, or after so long.
  void hold(std::function<bool(const Watched&)> until, std::chrono::milliseconds longest) {
    until_ = std::move(until);
    longest_ = longest;
  }

  // Whether it was more than one file that was read.
  bool has_several() const {
    return std::ranges::any_of(paths, [&](const std::string& path) { return path != paths.front(); });
  }

  // To be looked at while nothing is read, or from `until`.
  std::set<std::thread::id> readers;
  std::vector<std::string> paths;  // of all reads, in the order in which they began
  std::map<std::string, std::uint64_t> fetched;

 private:
  class File final : public storage::ForwardingFile {
   public:
    File(std::unique_ptr<storage::File> file, Watched& watched) : ForwardingFile(std::move(file)), watched_(watched) {}
    std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
      if (buffer.size() > 100'000) watched_.note_reading(path());
      return ForwardingFile::read_at(offset, buffer);
    }
    void fetch_ahead(std::uint64_t offset, std::uint64_t bytes) noexcept override {
      watched_.note_fetching(path(), bytes);
      ForwardingFile::fetch_ahead(offset, bytes);
    }

   private:
    Watched& watched_;
  };
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<File>(std::move(file), *this);
  }
  void note_reading(const std::string& path) {
    std::unique_lock lock(mutex_);
    readers.insert(std::this_thread::get_id());
    paths.push_back(path);
    another_.notify_all();
    if (until_) another_.wait_for(lock, longest_, [&] { return until_(*this); });
  }
  void note_fetching(const std::string& path, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    fetched[path] += bytes;
  }

  std::string name_;
  std::function<bool(const Watched&)> until_;
  std::chrono::milliseconds longest_{};
  std::mutex mutex_;
  std::condition_variable another_;
};

const Extents lattice_ahead{8, 8, 8, 16};  // 4.7 MB
constexpr std::uint64_t bytes_ahead = std::uint64_t{8} * 8 * 8 * 16 * 72 * 8;

class Ahead : public ::testing::Test {
 protected:
  Ahead() {
    const Grid grid(lattice_ahead);
    std::vector<double> values = formula_sites<double>(grid, 72);
    for (int i = 0; i < 4; ++i) {
      values.front() = i;
      paths_.push_back(directory_ / fmt::format("u{}.ildg", i));
      write(paths_.back(), grid, gauge(values));
    }
  }

  // All of them, as a thread does that may run on so many cores; which thread that is.
  std::thread::id read_all(Watched& watched, int cores, std::size_t buffers, int threads = 0) {
    std::thread::id reader;
    std::thread([&] {
      reader = std::this_thread::get_id();
      keep_cores(cores);
      const storage::Mount mount(directory_.path(), watched);
      const Grid grid(lattice_ahead);
      std::vector<std::vector<double>> memory(buffers, std::vector<double>(grid.local_volume() * 72));
      std::vector<MutableField> fields;
      for (std::vector<double>& one : memory) fields.push_back(gauge(one));
      ReadAhead ahead(paths_, grid, fields, {.route = {.threads = threads}});
      double expected = 0;
      while (const auto arrival = ahead.next()) EXPECT_EQ(memory[arrival->buffer].front(), expected++);
      EXPECT_EQ(expected, 4);
    }).join();
    return reader;
  }
  static int cores() {
    cpu_set_t all;
    return ::sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : 1;
  }

  testing::ScratchDirectory directory_;
  std::vector<std::string> paths_;

 private:
  static void keep_cores(int count) {
    cpu_set_t all, some;
    ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&some);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&some) < count; ++core) {
      if (CPU_ISSET(core, &all)) CPU_SET(core, &some);
    }
    ASSERT_EQ(::sched_setaffinity(0, sizeof some, &some), 0);
  }
};

TEST_F(Ahead, TheProgramReadsItselfWhereItHasOneCore) {
  Watched watched("ext4");
  const std::thread::id program = read_all(watched, 1, 2);
  EXPECT_EQ(watched.readers, std::set{program});
  for (const std::string& path : paths_) EXPECT_EQ(watched.fetched[path], bytes_ahead) << path;
}

TEST_F(Ahead, AThreadReadsWhereThereIsACoreForIt) {
  if (cores() < 2) GTEST_SKIP() << "one core";
  Watched watched("ext4");
  const std::thread::id program = read_all(watched, 2, 2);
  watched.readers.erase(program);  // which helps when it waits
  EXPECT_FALSE(watched.readers.empty());
  for (const std::string& path : paths_) EXPECT_EQ(watched.fetched[path], bytes_ahead) << path;
}

TEST_F(Ahead, AThreadReadsWhereItWaitsForServersOrWasAskedFor) {
  for (const auto& [file_system, threads] : {std::pair("fuse.glusterfs", 0), std::pair("ext4", 1)}) {
    Watched watched(file_system);
    const std::thread::id program = read_all(watched, 1, 2, threads);
    watched.readers.erase(program);
    EXPECT_FALSE(watched.readers.empty()) << file_system;
  }
}

TEST_F(Ahead, FieldsThatAreOnTheirWayComeOneAfterTheOther) {
  if (cores() < 2) GTEST_SKIP() << "one core";
  Watched watched("ext4");
  watched.hold(&Watched::has_several, std::chrono::milliseconds(20));
  read_all(watched, 2, 4);
  EXPECT_TRUE(std::ranges::is_sorted(watched.paths));
}

TEST_F(Ahead, RequestsToServersAreOnTheirWayTogether) {
  Watched watched("fuse.glusterfs");
  watched.hold(&Watched::has_several, std::chrono::seconds(20));
  const auto before = std::chrono::steady_clock::now();
  read_all(watched, 1, 3);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15));
}

// The thread's read goes on when another one has come to read.
TEST_F(Ahead, WhoWaitsForAReadTakesPart) {
  Watched watched("ext4");
  watched.hold([](const Watched& seen) { return seen.readers.size() > 1; }, std::chrono::seconds(20));
  const storage::Mount mount(directory_.path(), watched);
  const Grid grid(lattice_ahead);
  std::vector<double> values(grid.local_volume() * 72);
  Pending pending = read_async(paths_[3], grid, gauge(values));
  EXPECT_EQ(pending.wait().status, ChecksumStatus::ok);
  EXPECT_EQ(watched.readers.size(), 2U);
  EXPECT_TRUE(watched.readers.contains(std::this_thread::get_id()));
  std::vector<double> expected = formula_sites<double>(grid, 72);
  expected.front() = 3;
  EXPECT_EQ(values, expected);
}

}  // namespace
}  // namespace lq
