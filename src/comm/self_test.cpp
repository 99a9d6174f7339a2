// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// This process alone answers like every Comm.
#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "comm/comm.hpp"
#include "support/comm_suite.hpp"
#include "support/error_of.hpp"

namespace lq::comm {
namespace {

using testing::CommQuestion;
using testing::error_of;

class Self : public ::testing::TestWithParam<CommQuestion> {};

TEST_P(Self, Answers) { GetParam().ask(*make_self()); }

INSTANTIATE_TEST_SUITE_P(Comm, Self, ::testing::ValuesIn(testing::all_comm_questions()),
                         [](const auto& question) { return std::string(question.param.name); });

TEST(SelfRefuses, RanksThatDoNotExist) {
  const auto self = make_self();
  EXPECT_EQ(error_of([&] { self->broadcast({}, 1); }).code(), Code::communication);
  EXPECT_EQ(error_of([&] { self->gather({}, -1); }).code(), Code::communication);
  EXPECT_EQ(error_of([&] { self->scatter({{}}, 1); }).code(), Code::communication);
  EXPECT_EQ(error_of([&] { self->all_to_all({{1, {}}}); }).code(), Code::communication);
}

TEST(SelfRefuses, AWrongNumberOfPartsOrMessages) {
  const auto self = make_self();
  EXPECT_EQ(error_of([&] { self->scatter({}, 0); }).code(), Code::communication);
  EXPECT_EQ(error_of([&] { self->all_to_all({{0, {}}, {0, {}}}); }).code(), Code::communication);
}

}  // namespace
}  // namespace lq::comm
