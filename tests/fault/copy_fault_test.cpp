// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies whose k-th operation fails, or is the last one of the process: the target has its name only when it is whole,
// and whoever goes on moves nothing twice but the blocks that were under way.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/staging.hpp>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "storage/transport.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::Fault;
using testing::FaultyTransport;
using testing::files_in;
using testing::run_ranks;
using testing::ScratchDirectory;

constexpr std::uint64_t block = 500;

class CopyFault : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<char>(i * i / 7);
    testing::put_contents(from_, bytes_);
    fs::create_directory(folder_);
  }

  // On a file system of which operation `fail_at` fails. Whether it got so far.
  bool copy_with(std::int64_t fail_at, Fault fault) {
    FaultyTransport faulty(storage::posix(), fail_at, fault);
    const storage::Mount mount(folder_, faulty);
    std::mutex mutex;
    std::vector<std::string> sentences;
    run_ranks(GetParam(), [&](const std::shared_ptr<comm::Comm>& comm) {
      const Error error = testing::error_of([&] {
        copy({from_}, to_, Communicator(comm),
             {.verify = Verify::read_back, .resume = true, .overwrite = true, .block_bytes = block});
      });
      const std::lock_guard lock(mutex);
      sentences.emplace_back(error.what());
    });
    for (const std::string& sentence : sentences) EXPECT_EQ(sentence, sentences.front());
    return faulty.has_failed();
  }

  // What stays is the old file or the new one; who goes on gets the new one.
  void expect_safe(std::int64_t k) {
    if (fs::exists(to_)) {
      EXPECT_TRUE(contents(to_) == bytes_ || contents(to_) == "old") << k;
    }
    run_ranks(GetParam(), [&](const std::shared_ptr<comm::Comm>& comm) {
      copy({from_}, to_, Communicator(comm), {.resume = true, .overwrite = true, .block_bytes = block});
    });
    EXPECT_EQ(contents(to_), bytes_) << k;
  }

  void start_anew(bool has_old) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    if (has_old) testing::put_contents(to_, "old");
  }

  ScratchDirectory scratch_;
  std::string bytes_ = std::string(4321, 'x');
  const std::string from_ = scratch_ / "conf.dat", folder_ = scratch_ / "far", to_ = folder_ + "/copy.dat";
};

TEST_P(CopyFault, AtAnyOperationLeavesWhatWasThereAndCanBeGoneOnWith) {
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    for (const bool has_old : {false, true}) {
      if (has_old && fault != Fault::error) continue;
      for (std::int64_t k = 0;; ++k) {
        start_anew(has_old);
        if (!copy_with(k, fault)) break;
        expect_safe(k);
        ASSERT_LT(k, 1000);
      }
      EXPECT_EQ(files_in(folder_), std::vector<std::string>{"copy.dat"});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, CopyFault, ::testing::Values(1, 3));

// Killed at any operation, again and again, until it is done: every block but those under way is moved once.
class KilledCopy : public CopyFault {};

TEST_P(KilledCopy, MovesNothingTwiceButTheBlockUnderWay) {
  const char* asked = std::getenv("LQ_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 10;
  std::mt19937 random(20261123);
  for (int done = 0; done < kills;) {
    start_anew(done % 2 == 0);
    for (;;) {
      const auto at = static_cast<std::int64_t>(random() % 120);  // some lie behind the last one: so it ends
      const bool died = testing::dies_in([&] { copy_with(at, Fault::kill); });
      if (died) ++done;
      if (fs::exists(to_)) {
        EXPECT_TRUE(contents(to_) == bytes_ || contents(to_) == "old");
      }
      if (!died) break;
      // How much is there: what is recorded need not move again.
      const std::string record = folder_ + "/.copy.dat.lq-copied";
      const auto recorded =
          fs::exists(record) ? (fs::file_size(record) < 40 ? 0 : (fs::file_size(record) - 40) / 16) : 0;
      if (recorded > 0 && fs::exists(folder_ + "/.copy.dat.lq-copy")) {
        // A copy of the folder is gone on with, so that this one can be killed again.
        const std::string twin = scratch_ / "twin";
        fs::remove_all(twin);
        fs::copy(folder_, twin, fs::copy_options::recursive);
        const auto moved =
            copy({from_}, twin + "/copy.dat", {}, {.resume = true, .overwrite = true, .block_bytes = block})
                .moved_bytes;
        EXPECT_LE(moved, bytes_.size() - std::min<std::uint64_t>(bytes_.size(), (recorded - 1) * block)) << recorded;
      }
    }
    EXPECT_EQ(contents(to_), bytes_);
    EXPECT_EQ(files_in(folder_), std::vector<std::string>{"copy.dat"});
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, KilledCopy, ::testing::Values(1, 3));

}  // namespace
}  // namespace lq
