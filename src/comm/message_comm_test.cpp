// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Out of messages alone, asked what every Comm is asked.
#include "comm/message_comm.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <limequat/error.hpp>

#include "support/comm_suite.hpp"
#include "support/error_of.hpp"
#include "support/thread_comm.hpp"

namespace lq::comm {
namespace {

using testing::CommQuestion;

// Messages of threads; every second rank shares memory.
class ThreadTransport final : public MessageTransport {
 public:
  ThreadTransport(std::shared_ptr<Comm> comm, int tags) : comm_(std::move(comm)), tags_(tags) {}
  int rank() const noexcept override { return comm_->rank(); }
  int size() const noexcept override { return comm_->size(); }
  std::uint64_t node() const noexcept override { return static_cast<std::uint64_t>(comm_->rank() % 2); }
  int tags() const noexcept override { return tags_; }
  Flight start_send(std::span<const std::byte> bytes, int to, int tag) override {
    EXPECT_LT(tag, tags_);
    return comm_->start_send(bytes, to, tag);
  }
  Flight start_receive(std::span<std::byte> bytes, int from, int tag) override {
    return comm_->start_receive(bytes, from, tag);
  }

 private:
  std::shared_ptr<Comm> comm_;
  int tags_;
};

std::unique_ptr<Comm> over(const std::shared_ptr<Comm>& threads, int tags = 1 << 20) {
  return make_message_comm(std::make_shared<ThreadTransport>(threads, tags));
}

class MessageComms : public ::testing::TestWithParam<std::tuple<int, CommQuestion>> {};

INSTANTIATE_TEST_SUITE_P(Every, MessageComms,
                         ::testing::Combine(::testing::Values(1, 2, 3, 8),
                                            ::testing::ValuesIn(testing::all_comm_questions())),
                         [](const auto& test) {
                           return std::string(std::get<1>(test.param).name) + "_" +
                                  std::to_string(std::get<0>(test.param));
                         });

TEST_P(MessageComms, AnswersAsEveryComm) {
  testing::run_ranks(std::get<0>(GetParam()), [](const std::shared_ptr<Comm>& threads) {
    const auto comm = over(threads);
    std::get<1>(GetParam()).ask(*comm);
    const auto half = comm->split(comm->rank() % 2, -comm->rank());
    std::get<1>(GetParam()).ask(*half);
  });
}

TEST(MessageComm, LargeReductionsTakeEveryElement) {
  testing::run_ranks(5, [](const std::shared_ptr<Comm>& threads) {
    std::vector<std::uint64_t> values(1500);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i;
    over(threads)->all_reduce(values, Reduce::sum);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 5 * i);
  });
}

TEST(MessageComm, NumbersOfGroupsAreUsedAgain) {
  testing::run_ranks(3, [](const std::shared_ptr<Comm>& threads) {
    const auto comm = over(threads, 2 * channels);
    for (int i = 0; i < 10; ++i) {
      const auto part = comm->split(0, 0);
      EXPECT_EQ(part->size(), 3);
      EXPECT_EQ(testing::error_of([&] { comm->split(0, 0); }).code(), Code::too_large);
      comm->barrier();
    }
  });
}

TEST(MessageComm, RanksThatDoNotExistAreRefused) {
  testing::run_ranks(1, [](const std::shared_ptr<Comm>& threads) {
    const auto comm = over(threads);
    EXPECT_EQ(testing::error_of([&] { comm->broadcast({}, 1); }).code(), Code::communication);
    EXPECT_EQ(testing::error_of([&] { comm->all_to_all({{-1, {}}}); }).code(), Code::communication);
    EXPECT_EQ(testing::error_of([&] { comm->start_send({}, 7, 0); }).code(), Code::communication);
  });
}

}  // namespace
}  // namespace lq::comm
