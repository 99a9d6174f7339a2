// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The physical files of multifiles get stripes while they are empty, for the size that is expected.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <vector>

#include "sets/checkpoint/new_set.hpp"
#include "storage/forwarding.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq::sets {
namespace {

// Whoever asks for stripes gets another file, as on BeeGFS and Lustre.
class Renewing final : public storage::ForwardingTransport {
 public:
  Renewing() : ForwardingTransport(storage::posix()) {}
  storage::Striping set_stripes(const std::string& path, const std::string& spare, std::uint64_t bytes,
                                const StripeRequest& request) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(std::filesystem::file_size(path), 0U);
    EXPECT_FALSE(std::filesystem::exists(spare));
    expected.push_back(bytes);
    requests.push_back(request);
    if (request.count == 0) return {};
    std::ofstream(spare).close();
    std::filesystem::rename(spare, path);
    return {.stripes = {.reason = StripeReason::asked, .count = request.count, .bytes = request.bytes}};
  }
  std::vector<std::uint64_t> expected;
  std::vector<StripeRequest> requests;

 private:
  std::mutex mutex_;
};

// Memory runs out where the file system is asked.
class Forgetful final : public storage::ForwardingTransport {
 public:
  Forgetful() : ForwardingTransport(storage::posix()) {}
  storage::Striping set_stripes(const std::string& path, const std::string&, std::uint64_t,
                                const StripeRequest&) override {
    EXPECT_TRUE(std::filesystem::exists(path));
    throw std::bad_alloc();
  }
};

void write_set(storage::Transport& transport, const std::string& path, MultifileOptions options) {
  options.streams = 1;
  testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator ranks(std::move(comm));
    const auto set = create_set(transport, path, ranks, options);
    const auto task = static_cast<std::uint64_t>(ranks.rank());
    set->streams().front()->write(testing::stream_bytes(task, 0, 5000));
    set->close();
  });
}

TEST(StripesOfMultifiles, AreThoseAskedForInFilesThatHoldTheStreams) {
  testing::ScratchDirectory folder;
  Renewing transport;
  const std::string path = folder / "set.sion";
  MultifileOptions options;
  options.files = 2;
  options.stripe_count = 3;
  options.stripe_bytes = 1 << 20;
  options.stripes_by_size = false;
  write_set(transport, path, options);
  ASSERT_EQ(transport.requests.size(), 2U);
  for (const StripeRequest& request : transport.requests) {
    EXPECT_EQ(request.count, 3U);
    EXPECT_EQ(request.bytes, 1U << 20);
    EXPECT_FALSE(request.by_size);
  }
  EXPECT_EQ(transport.expected, (std::vector<std::uint64_t>{0, 0}));  // nothing is known of their size
  MultifileReader reader(path);
  for (std::int64_t task = 0; task < 4; ++task) {
    EXPECT_EQ(reader.size(task), 5000U) << task;
  }
}

TEST(StripesOfMultifiles, GoByTheSizeThatIsExpected) {
  testing::ScratchDirectory folder;
  Renewing transport;
  MultifileOptions options;
  options.files = 1;
  options.expected_bytes = 64 << 20;
  write_set(transport, folder / "set.sion", options);
  ASSERT_EQ(transport.expected.size(), 1U);
  EXPECT_EQ(transport.expected[0], 4 * options.expected_bytes);
  EXPECT_TRUE(transport.requests[0].by_size);
  EXPECT_EQ(transport.requests[0].count, 0U);
}

TEST(StripesOfMultifiles, ThatCannotBeAskedForLeaveNoFileBehind) {
  testing::ScratchDirectory folder;
  Forgetful transport;
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Error error = testing::error_of(
        [&] { create_set(transport, folder / "set.sion", Communicator(std::move(comm)), {.streams = 1, .files = 2}); });
    EXPECT_EQ(error.code(), Code::out_of_memory);
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace lq::sets
