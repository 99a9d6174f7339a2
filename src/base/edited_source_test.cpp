// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/byte_source.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace lq::base {
namespace {

std::string contents(EditedSource& file, std::uint64_t from = 0) {
  std::string text(static_cast<std::size_t>(file.size() - from), '?');
  EXPECT_EQ(file.read_at(from, std::as_writable_bytes(std::span(text))), text.size());
  return text;
}

// Against the same changes of a plain string.
TEST(EditedSource, IsTheStringThatTheSameEditsGive) {
  std::mt19937 random(7);
  const std::string original = "The quick brown fox jumps over the lazy dog";
  for (int round = 0; round < 200; ++round) {
    MemorySource memory(as_bytes(original), "fox");
    EditedSource file(memory);
    std::string plain = original;
    for (int edit = 0; edit < 12; ++edit) {
      const std::size_t at = random() % (plain.size() + 1);
      const std::size_t length = random() % (std::min<std::size_t>(plain.size() - at, 9) + 1);
      if (random() % 4 == 0) {
        const std::size_t from = random() % (original.size() - length + 1);
        file.replace_by_original(at, length, from);
        plain.replace(at, length, original.substr(from, length));
      } else if (random() % 5 == 0) {
        file.append_zeros(length);
        plain.append(length, '\0');
      } else {
        const std::string bytes(random() % 6, static_cast<char>('a' + edit));
        file.replace(at, length, as_bytes(bytes));
        plain.replace(at, length, bytes);
      }
      ASSERT_EQ(contents(file), plain);
      const std::size_t from = random() % (plain.size() + 1);
      ASSERT_EQ(contents(file, from), plain.substr(from));
    }
  }
}

TEST(EditedSource, KnowsWhetherItDiffers) {
  MemorySource memory(as_bytes(std::string_view("abc")), "abc");
  EditedSource file(memory);
  EXPECT_FALSE(file.is_changed());
  EXPECT_EQ(contents(file), "abc");
  file.replace(1, 1, as_bytes(std::string_view("x")));
  EXPECT_TRUE(file.is_changed());
}

}  // namespace
}  // namespace lq::base
