// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays as values, and as messages between ranks.
#include <gtest/gtest.h>

#include <limequat/error.hpp>
#include <limequat/hdf5.hpp>

#include "hdf5/session/store.hpp"
#include "support/error_of.hpp"

namespace lq::hdf5 {
namespace {

using testing::error_of;

TEST(SmallArray, IsOneNumberOrText) {
  EXPECT_EQ(Array(7).integer(), 7);
  EXPECT_EQ(Array(std::uint64_t{9}).integer(), 9);
  EXPECT_EQ(Array(2.0).integer(), 2);
  EXPECT_EQ(Array(1.5F).real(), 1.5);
  EXPECT_EQ(Array(-3).real(), -3.0);
  EXPECT_EQ(Array(std::complex<float>(1, -2)).complex(), std::complex<double>(1, -2));
  EXPECT_EQ(Array(4).complex(), std::complex<double>(4, 0));
  EXPECT_EQ(Array("text").text(), "text");
  EXPECT_EQ(Array().real(), 0.0);
}

TEST(SmallArray, IsNotTakenForSomethingElse) {
  EXPECT_EQ(error_of([] { (void)Array(2.5).integer(); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { (void)Array(1e300).integer(); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { (void)Array(~std::uint64_t{0}).integer(); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { (void)Array("2").real(); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { (void)Array(std::complex<double>(1, 2)).real(); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { (void)Array(std::vector{1.0, 2.0}).real(); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { (void)Array(3).text(); }).code(), Code::invalid_argument);
}

TEST(SmallArray, HasAsManyElementsAsItsExtentsSay) {
  EXPECT_EQ(Array(1.0).count(), 1U);
  EXPECT_EQ(Array(std::vector<double>(6), {2, 3}).count(), 6U);
  EXPECT_EQ(Array(std::vector<double>()).count(), 0U);
  EXPECT_EQ(Array(std::vector<float>{1, 2}).reals(), (std::vector<double>{1, 2}));
}

template <class T>
T sent(T value) {
  Message message;
  message.add(value);
  Message arrived(message.take());
  T result{};
  arrived.add(result);
  return result;
}

TEST(MessageOfASession, BringsArraysOfAllTypes) {
  Array table(std::vector<std::complex<double>>(6, {1, 2}), {2, 3});
  table.axes = {{"t", {0, 1}}, {"p", {}}};
  EXPECT_EQ(sent(table), table);
  for (const Array& array : {Array(1), Array(std::int64_t{2}), Array(std::uint64_t{3}), Array(4.0F), Array(5.0),
                             Array(std::complex<float>(6)), Array(std::vector<std::string>{"a", ""})}) {
    EXPECT_EQ(sent(array), array);
  }
}

TEST(MessageOfASession, BringsWhatIsKnownOfObjects) {
  Facts facts;
  facts.path = "/a";
  facts.kind = EntryKind::dataset;
  facts.extents = {1, 2};
  facts.filters = {"shuffle", "deflate"};
  facts.microseconds = -5;
  facts.attributes = 3;
  const Facts arrived = sent(facts);
  EXPECT_EQ(arrived.path, facts.path);
  EXPECT_EQ(arrived.kind, facts.kind);
  EXPECT_EQ(arrived.extents, facts.extents);
  EXPECT_EQ(arrived.filters, facts.filters);
  EXPECT_EQ(arrived.microseconds, facts.microseconds);
  EXPECT_EQ(arrived.attributes, 3U);
  const std::vector<Entry> entries{{"a", EntryKind::group, ""}, {"b", EntryKind::link, "/c"}};
  EXPECT_EQ(sent(entries), entries);
}

}  // namespace
}  // namespace lq::hdf5
