// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of subfiles whose making fails at the k-th operation, or ends there with the process: what has the target's name
// is the old file or a whole set, and whoever goes on gets the set, without anything left over.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/repartition.hpp>
#include <limequat/view.hpp>

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
using testing::files_in;
using testing::run_ranks;

enum class Before { nothing, file, set };

class RepartitionFault : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<char>(i * i / 7);
    testing::put_contents(from_, bytes_);
  }

  static RepartitionOptions options() {
    RepartitionOptions options;
    options.to = "x=cyclic:3:16";
    options.extents = "400";
    options.element_bytes = 5;
    options.begin = 30;
    options.resume = true;
    options.overwrite = true;
    options.block_bytes = 500;
    return options;
  }

  // On a file system of which operation `fail_at` fails. Whether it got so far.
  bool repartition_with(std::int64_t fail_at, Fault fault) {
    testing::FaultyTransport faulty(storage::posix(), fail_at, fault);
    const storage::Mount mount(folder_, faulty);
    std::mutex mutex;
    std::vector<std::string> sentences;
    run_ranks(GetParam(), [&](const std::shared_ptr<comm::Comm>& comm) {
      RepartitionOptions how = options();
      how.verify = Verify::read_back;
      const Error error = testing::error_of([&] { repartition(from_, to_, Communicator(comm), how); });
      const std::lock_guard lock(mutex);
      sentences.emplace_back(error.what());
    });
    for (const std::string& sentence : sentences) EXPECT_EQ(sentence, sentences.front());
    return faulty.has_failed();
  }

  std::string seen() const {
    View view(to_);
    std::string bytes(static_cast<std::size_t>(view.size()), '?');
    view.read(std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }

  void expect_old_or_new(Before before, std::int64_t k) const {
    if (before == Before::nothing && !fs::exists(to_)) return;
    const std::string found = seen();
    EXPECT_TRUE(found == bytes_ || found == old_) << k;
  }

  void finish(std::int64_t k) const {
    run_ranks(GetParam(),
              [&](const std::shared_ptr<comm::Comm>& comm) { repartition(from_, to_, Communicator(comm), options()); });
    EXPECT_TRUE(seen() == bytes_) << k;
  }

  void start_anew(Before before) const {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    if (before == Before::nothing) return;
    testing::put_contents(to_, old_);
    if (before == Before::file) return;
    RepartitionOptions two;
    two.to = "x=block:2";
    two.overwrite = true;
    repartition(to_, to_, {}, two);
  }

  // Nothing but the description and its three subfiles.
  void expect_nothing_left_over(std::int64_t k) const { EXPECT_EQ(files_in(folder_).size(), 4U) << k; }

  testing::ScratchDirectory scratch_;
  std::string bytes_ = std::string(2121, 'x'), old_ = "old";
  const std::string from_ = scratch_ / "conf.dat", folder_ = scratch_ / "far", to_ = folder_ + "/conf.set";
};

TEST_P(RepartitionFault, AtAnyOperationLeavesWhatWasThereAndCanBeGoneOnWith) {
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    for (const Before before : {Before::nothing, Before::file, Before::set}) {
      if (before != Before::nothing && fault != Fault::error) continue;
      for (std::int64_t k = 0;; ++k) {
        start_anew(before);
        if (!repartition_with(k, fault)) break;
        expect_old_or_new(before, k);
        finish(k);
        // Where removing the old set's subfiles itself failed they are still there.
        if (before != Before::set) expect_nothing_left_over(k);
        ASSERT_LT(k, 1000);
      }
      expect_nothing_left_over(-1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RepartitionFault, ::testing::Values(1, 3));

class KilledRepartition : public RepartitionFault {};

TEST_P(KilledRepartition, IsGoneOnWithUntilItIsDone) {
  const char* asked = std::getenv("LQ_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 10;
  std::mt19937 random(20261123);
  for (int done = 0; done < kills;) {
    const Before before = done % 2 == 0 ? Before::file : Before::nothing;
    start_anew(before);
    for (;;) {
      const auto at = static_cast<std::int64_t>(random() % 500);  // of three ranks, which read twice, some 300
      const bool died = testing::dies_in([&] { repartition_with(at, Fault::kill); });
      if (died) ++done;
      expect_old_or_new(before, at);
      if (!died) break;
    }
    EXPECT_TRUE(seen() == bytes_);
    expect_nothing_left_over(done);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, KilledRepartition, ::testing::Values(1, 3));

}  // namespace
}  // namespace lq
