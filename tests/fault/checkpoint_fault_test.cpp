// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k and every rank: the k-th operation of that rank's transport fails while a set is written or gone on with.
// Claim: the same error on all ranks, no hang; what was there before is there or can be repaired, and every byte that
// was flushed is recovered, and none that is wrong.
#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include <filesystem>

#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/repair.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq::sets {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;
using testing::stream_bytes;

struct SetScenario {
  int ranks;
  int files;
  int bad_rank;
  Fault fault;
  bool appends;
};

constexpr std::uint64_t old_bytes = 6000;

class Interrupted : public ::testing::TestWithParam<SetScenario> {
 protected:
  void SetUp() override {
    testing::run_ranks(GetParam().ranks - 1, [&](std::shared_ptr<comm::Comm> comm) {
      const auto set = create_set(storage::posix(), path_, Communicator(std::move(comm)),
                                  options(GetParam().appends ? GetParam().files : 1));
      set->streams().front()->write(stream_bytes(task_of(*set), 0, old_bytes));
      set->close();
    });
    fs::copy(directory_.path(), kept_.path(), fs::copy_options::recursive);
  }

  static MultifileOptions options(int files) {
    MultifileOptions options;
    options.files = files;
    options.expected_bytes = 1;
    options.buffer_bytes = 800;
    options.overwrite = true;
    return options;
  }
  static std::uint64_t task_of(NewSet& set) { return static_cast<std::uint64_t>(set.streams().front()->task()); }

  // Whether the k-th operation was reached. flushed_: bytes of each task that were.
  bool run(std::int64_t k) {
    flushed_.assign(static_cast<std::size_t>(GetParam().ranks), 0);
    FaultyTransport faulty(storage::posix(), k, GetParam().fault);
    errors_ = testing::outcomes_of_ranks(GetParam().ranks, [&](std::shared_ptr<comm::Comm> comm) {
      storage::Transport& mine =
          comm->rank() == GetParam().bad_rank ? static_cast<storage::Transport&>(faulty) : storage::posix();
      const Communicator all(std::move(comm));
      const auto set = GetParam().appends ? append_to_set(mine, path_, all, options(0))
                                          : create_set(mine, path_, all, options(GetParam().files));
      std::exception_ptr failure;
      try {
        StreamWriter& stream = *set->streams().front();
        const std::uint64_t task = task_of(*set);
        std::uint64_t& flushed = flushed_[task];
        flushed = stream.size();
        for (int step = 0; step < 4; ++step) {
          stream.write(stream_bytes(task, stream.size(), 1500));
          stream.flush();
          flushed = stream.size();
        }
      } catch (...) {
        failure = std::current_exception();
      }
      all.agree(failure);
      set->close();
    });
    return faulty.has_failed();
  }

  // Of all ranks, or of none where the failure did not matter: older files could not be cleared away.
  void expect_same_error() {
    if (errors_.front() == nullptr) {
      for (const std::exception_ptr& other : errors_) EXPECT_EQ(other, nullptr);
      EXPECT_EQ(part(), "");
      EXPECT_EQ(sizes(path_).size(), errors_.size());
      return;
    }
    const Error first = error_of([&] { std::rethrow_exception(errors_.front()); });
    for (const std::exception_ptr& other : errors_) {
      ASSERT_NE(other, nullptr);
      EXPECT_STREQ(error_of([&] { std::rethrow_exception(other); }).what(), first.what());
    }
  }

  // Bytes of each task of a set, all of them right.
  std::vector<std::uint64_t> sizes(const std::string& path) {
    const MultifileReader reader(path);
    std::vector<std::uint64_t> sizes;
    for (std::int64_t task = 0; task < reader.tasks(); ++task) {
      const auto bytes = reader.task(task).read_all();
      EXPECT_EQ(testing::first_wrong(bytes, static_cast<std::uint64_t>(task)), bytes.size()) << "task " << task;
      sizes.push_back(bytes.size());
    }
    return sizes;
  }

  std::string part() {
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      if (testing::is_temporary(entry.path().string())) return entry.path().string();
    }
    return {};
  }

  void expect_recovered(const std::string& path) {
    const std::vector<std::uint64_t> now = sizes(path);
    for (std::size_t task = 0; task < flushed_.size(); ++task) {
      EXPECT_GE(task < now.size() ? now[task] : 0, flushed_[task]) << "task " << task;
    }
  }

  void start_again() {
    for (const auto& entry : fs::directory_iterator(directory_.path())) fs::remove(entry.path());
    fs::copy(kept_.path(), directory_.path());
  }

  testing::ScratchDirectory directory_, kept_;
  std::string path_ = directory_ / "set.sion";
  std::vector<std::exception_ptr> errors_;
  std::vector<std::uint64_t> flushed_;
};

TEST_P(Interrupted, SetsKeepWhatWasFlushed) {
  const std::vector<std::uint64_t> before = sizes(path_);
  std::int64_t failures = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    if (!run(k)) break;
    ++failures;
    expect_same_error();
    const std::string left = part();
    const bool is_whole = error_of([&] { verify_multifile(path_); }).code() == Code::ok;
    if (GetParam().appends) {
      if (!is_whole) {
        EXPECT_EQ(error_of([&] { repair_multifile(path_); }).code(), Code::ok);
      }
      const std::vector<std::uint64_t> now = sizes(path_);
      for (std::size_t task = 0; task < before.size(); ++task) EXPECT_GE(now[task], before[task]) << task;
      if (flushed_.back() > 0) expect_recovered(path_);
    } else if (left.empty()) {
      EXPECT_TRUE(is_whole);  // before the first byte, or behind the last name
    } else {
      EXPECT_TRUE(is_whole);  // the older one, or the new one whose names are not all given
      if (flushed_.back() > 0) {
        const Error repairing = error_of([&] { repair_multifile(left, {.overwrite = true}); });
        EXPECT_EQ(repairing.code(), Code::ok) << repairing.what();
        expect_recovered(path_);
      }
    }
    start_again();
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(k, 1000);
  }
  EXPECT_GE(failures, 3);
  EXPECT_EQ(errors_.front(), nullptr);
  EXPECT_EQ(sizes(path_).size(), static_cast<std::size_t>(GetParam().ranks));
}

INSTANTIATE_TEST_SUITE_P(Writing, Interrupted,
                         ::testing::Values(SetScenario{2, 1, 0, Fault::error, false},
                                           SetScenario{3, 1, 2, Fault::short_write, false},
                                           SetScenario{3, 2, 0, Fault::no_space, false},
                                           SetScenario{3, 3, 1, Fault::error, false},
                                           SetScenario{4, 2, 2, Fault::short_write, false}));
INSTANTIATE_TEST_SUITE_P(
    GoingOn, Interrupted,
    ::testing::Values(SetScenario{2, 1, 0, Fault::error, true}, SetScenario{3, 1, 0, Fault::short_write, true},
                      SetScenario{3, 1, 1, Fault::no_space, true}, SetScenario{3, 1, 2, Fault::error, true},
                      SetScenario{4, 2, 0, Fault::error, true}, SetScenario{4, 2, 2, Fault::short_write, true},
                      SetScenario{4, 3, 1, Fault::error, true}));

}  // namespace
}  // namespace lq::sets
