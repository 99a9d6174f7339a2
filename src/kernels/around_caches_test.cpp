// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CMakeLists.txt runs this once for every instruction set; where it has no such loops there is nothing to be wrong.
#include "kernels/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lq::kernels {
namespace {

TEST(AroundCaches, CopiesAnyBytesBetweenAnyAddressesAndNoMore) {
  const isa::AroundCaches& around = around_caches();
  if (around.copy == nullptr) GTEST_SKIP() << instruction_set_name() << " has no instruction that writes a whole line";
  constexpr std::size_t line = isa::cache_line, room = 8 * line;
  std::vector<std::byte> from(room);
  for (std::size_t i = 0; i < room; ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  for (std::size_t to_shift = 0; to_shift < line; ++to_shift) {
    for (const std::size_t from_shift : {0U, 1U, 16U, 63U}) {
      for (std::size_t bytes = 0; bytes <= 3 * line + 5; ++bytes) {
        std::vector<std::byte> to(room, std::byte{0xff}), expected = to;
        const auto source = from.begin() + static_cast<std::ptrdiff_t>(from_shift);
        std::copy_n(source, bytes, expected.begin() + static_cast<std::ptrdiff_t>(to_shift));
        around.copy(from.data() + from_shift, to.data() + to_shift, bytes);
        around.settle();
        ASSERT_TRUE(to == expected) << bytes << " bytes from " << from_shift << " to " << to_shift;
      }
    }
  }
}

TEST(AroundCaches, AreThereWithAvx512) {
  EXPECT_EQ(around_caches().copy != nullptr, instruction_set_name() == "avx512");
  EXPECT_EQ(around_caches().settle != nullptr, instruction_set_name() == "avx512");
}

}  // namespace
}  // namespace lq::kernels
