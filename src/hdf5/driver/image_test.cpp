// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/driver/driver.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace lq::hdf5 {
namespace {

std::string all_of(Image& image) {
  std::string bytes(static_cast<std::size_t>(image.size()) + 3, '?');
  bytes.resize(image.read_at(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

TEST(Image, IsZerosWhereNothingWasWritten) {
  Image image("new");
  image.write_at(3, base::as_bytes("abc"));
  image.resize(8);
  EXPECT_EQ(all_of(image), std::string("\0\0\0abc\0\0", 8));
}

TEST(Image, ChangesLieOverTheFile) {
  const std::string file = "0123456789";
  base::MemorySource source(base::as_bytes(file), "old");
  Image image(source);
  EXPECT_FALSE(image.is_changed());
  image.write_at(8, base::as_bytes("abcd"));
  image.write_at(2, base::as_bytes("xy"));
  image.write_at(4, base::as_bytes("z"));
  EXPECT_EQ(all_of(image), "01xyz567abcd");
  const auto changes = image.changes();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].first, 2u);
  EXPECT_EQ(changes[0].second.size(), 3u);
  EXPECT_EQ(changes[1].first, 8u);
}

// Random writes and cuts beside a plain string.
TEST(Image, AgreesWithAPlainString) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::string file(random() % 40, 'o');
    base::MemorySource source(base::as_bytes(file), "old");
    Image image(source);
    std::string model = file;
    for (int step = 0; step < 20; ++step) {
      const std::size_t at = random() % 60, length = 1 + random() % 12;
      if (random() % 5 == 0) {
        model.resize(at, '\0');
        image.resize(at);
        continue;
      }
      const std::string text(length, static_cast<char>('a' + random() % 26));
      if (model.size() < at + length) model.resize(at + length, '\0');
      model.replace(at, length, text);
      image.write_at(at, base::as_bytes(text));
    }
    ASSERT_EQ(all_of(image), model);
  }
}

}  // namespace
}  // namespace lq::hdf5
