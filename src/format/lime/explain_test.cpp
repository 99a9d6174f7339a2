// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/lime_format.hpp"

#include <gtest/gtest.h>

#include "support/assembled.hpp"

namespace lq::format {
namespace {

std::vector<Annotation> explain(std::string_view bytes) {
  base::MemorySource file(base::as_bytes(bytes), "test.lime");
  const Format& lime = format_named("lime");
  return lime.container->explain(file, lime.container->scan(file, {}));
}

bool tiles(const std::vector<Annotation>& annotations, std::uint64_t bytes) {
  std::uint64_t next = 0;
  for (const Annotation& annotation : annotations) {
    if (annotation.offset != next || annotation.length == 0) return false;
    next += annotation.length;
  }
  return next == bytes;
}

TEST(LimeExplain, NamesEveryByteOfARecord) {
  const auto annotations = explain(testing::record("note", "hello", true, true));
  std::vector<std::string> names;
  for (const Annotation& annotation : annotations) names.push_back(annotation.name);
  const std::vector<std::string> expected = {"magic",       "version", "flags",   "reserved",
                                             "data_length", "type",    "payload", "padding"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(annotations[6].value, "\"hello\"");
  EXPECT_EQ(annotations[6].offset, 144U);
}

TEST(LimeExplain, TilesTheFileHoweverItIsCut) {
  const std::string whole = testing::record("note", "hello", true, false) + testing::record("empty", "", false, true) +
                            testing::record("more", "text", true, true);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    EXPECT_TRUE(tiles(explain(whole.substr(0, length)), length)) << length;
  }
}

}  // namespace
}  // namespace lq::format
