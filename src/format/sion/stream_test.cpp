// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams against a plain list: where in the physical file each byte of the stream lies.
#include "format/sion/stream.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lq::format::sion {
namespace {

struct Model {
  LogicalFile stream;
  std::vector<std::uint64_t> offsets;  // of each byte
};

// Chunks of 10 bytes every 100 bytes, filled anyhow; some not at all.
Model model_of(std::mt19937& random) {
  std::vector<std::int64_t> used(1 + random() % 6);
  std::vector<std::uint64_t> offsets;
  for (std::size_t chunk = 0; chunk < used.size(); ++chunk) {
    used[chunk] = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 11);
    for (std::int64_t byte = 0; byte < used[chunk]; ++byte) {
      offsets.push_back(1000 + 100 * chunk + static_cast<std::uint64_t>(byte));
    }
  }
  return {LogicalFile({1000, 10, 100}, used), offsets};
}

TEST(SionStream, GivesThePiecesOfEveryRangeInOrder) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const auto [stream, offsets] = model_of(random);
    ASSERT_EQ(stream.size(), offsets.size());
    for (std::uint64_t position = 0; position < offsets.size() + 3; ++position) {
      const std::uint64_t length = random() % (offsets.size() + 4);
      std::vector<std::uint64_t> found;
      stream.for_each(position, length, [&](const StreamRange& piece) {
        ASSERT_GT(piece.length, 0U);
        for (std::uint64_t i = 0; i < piece.length; ++i) found.push_back(piece.offset + i);
      });
      const std::uint64_t begin = std::min<std::uint64_t>(position, offsets.size());
      const std::uint64_t end = std::min<std::uint64_t>(begin + length, offsets.size());
      const std::vector<std::uint64_t> expected(offsets.begin() + static_cast<std::ptrdiff_t>(begin),
                                                offsets.begin() + static_cast<std::ptrdiff_t>(end));
      ASSERT_EQ(found, expected) << position << " " << length;
    }
  }
}

TEST(SionStream, ReadsUntilThePhysicalFileEnds) {
  const LogicalFile stream({1000, 10, 100}, {10, 0, 4, 10});
  const auto read = [](std::uint64_t offset, base::MutableBytes part) -> std::size_t {
    constexpr std::uint64_t end = 1202;  // inside the third chunk
    const std::uint64_t held = offset < end ? std::min<std::uint64_t>(part.size(), end - offset) : 0;
    for (std::size_t i = 0; i < held; ++i) part[i] = static_cast<std::byte>(offset + i);
    return held;
  };
  std::vector<std::byte> buffer(20);
  ASSERT_EQ(stream.read(7, buffer, read), 5U);
  const std::vector<std::uint64_t> expected{1007, 1008, 1009, 1200, 1201};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(buffer[i], static_cast<std::byte>(expected[i])) << i;
}

TEST(SionStream, BordersBelongToTheEarlierChunk) {
  const LogicalFile stream({0, 10, 100}, {10, 5});
  const auto spot = stream.find(10);
  ASSERT_TRUE(spot);
  EXPECT_EQ(spot->chunk, 0U);
  EXPECT_EQ(spot->position, 10U);
  EXPECT_FALSE(stream.find(16));
}

}  // namespace
}  // namespace lq::format::sion
