// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks in memory of several processes, which may die at any moment.
#include "io/node_cache.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>

namespace lq::io {
namespace {

constexpr std::uint64_t block_bytes = 4096;

class Blocks : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  Blocks() : shape_{GetParam(), block_bytes} {
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, SharedBlocks::memory_bytes(shape_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    blocks_.emplace(memory_, shape_);
    blocks_->clear();
  }
  ~Blocks() override { ::munmap(memory_, SharedBlocks::memory_bytes(shape_)); }

  // The byte that all of a block are, or -1 where no slot was to be had.
  int value_of(std::uint64_t block) {
    int value = -1;
    const auto fetch = [&](base::MutableBytes memory) {
      ++fetched_;
      std::memset(memory.data(), static_cast<int>(block % 251), memory.size());
      return memory.size();
    };
    const auto give = [&](base::Bytes bytes) {
      value = static_cast<int>(bytes[0]);
      for (const std::byte byte : bytes) EXPECT_EQ(byte, bytes[0]);
    };
    const bool there = blocks_->use(block, fetch, give);
    EXPECT_EQ(there, value >= 0);
    return value;
  }

  SharedBlocks::Shape shape_;
  std::byte* memory_ = nullptr;
  std::optional<SharedBlocks> blocks_;
  int fetched_ = 0;
};

TEST_P(Blocks, AreFetchedOnceAsLongAsThereIsRoom) {
  for (int pass = 0; pass < 3; ++pass) {
    for (std::uint64_t block = 0; block < shape_.slots; ++block)
      EXPECT_EQ(value_of(block), static_cast<int>(block % 251));
  }
  EXPECT_EQ(fetched_, static_cast<int>(shape_.slots));
}

TEST_P(Blocks, OfFarMoreThanFitAreAlwaysTheRightOnes) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t block = i * i % 977;
    EXPECT_EQ(value_of(block), static_cast<int>(block % 251));
  }
}

TEST_P(Blocks, InUseAreNotThrownOut) {
  int inside = 0;
  const std::function<void(std::uint64_t)> nest = [&](std::uint64_t depth) {
    const bool there = blocks_->use(
        depth * shape_.slots, [](base::MutableBytes memory) { return memory.size(); },
        [&](base::Bytes) {
          ++inside;
          if (depth < 64) nest(depth + 1);
        });
    EXPECT_TRUE(there || inside >= 2) << "all that a block may lie in are in use";
  };
  nest(0);
  EXPECT_EQ(inside, static_cast<int>(std::min<std::uint64_t>(shape_.slots, 8)));
  EXPECT_EQ(value_of(0), 0) << "and free again";
}

TEST_P(Blocks, WhoFailsToFetchLeavesNothingBehind) {
  const auto fails = [](base::MutableBytes) -> std::size_t { throw std::runtime_error("no disk"); };
  EXPECT_THROW(blocks_->use(3, fails, [](base::Bytes) { FAIL() << "nothing was fetched"; }), std::runtime_error);
  EXPECT_EQ(value_of(3), 3);
}

TEST_P(Blocks, WhoIsKilledWhileHeFetchesKeepsNobodyWaiting) {
  const pid_t child = ::fork();
  if (child == 0) {
    blocks_->use(
        5, [](base::MutableBytes) -> std::size_t { ::_exit(0); }, [](base::Bytes) {});
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(value_of(5), -1) << "the caller reads it himself";
  EXPECT_EQ(value_of(6), 6);
}

TEST_P(Blocks, OfAnotherProcessAreSeen) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(value_of(7) == 7 ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(value_of(7), 7);
  EXPECT_EQ(fetched_, 0) << "the other one has fetched it";
}

INSTANTIATE_TEST_SUITE_P(Slots, Blocks, ::testing::Values(2, 5, 8, 64),
                         [](const auto& slots) { return std::to_string(slots.param); });

TEST(BlocksShape, TakesNoMoreThanItMay) {
  for (const std::uint64_t memory : {0UL, 8192UL, 20000UL, 100000UL, 1UL << 20, 77UL << 20}) {
    const SharedBlocks::Shape shape = SharedBlocks::shape_for(memory, block_bytes);
    EXPECT_TRUE(shape.slots == 0 || SharedBlocks::memory_bytes(shape) <= memory);
    EXPECT_TRUE(shape.slots <= 8 || shape.slots % 8 == 0);
  }
  EXPECT_EQ(SharedBlocks::shape_for(8192, block_bytes).slots, 0u) << "two blocks and the list of them do not fit";
}

}  // namespace
}  // namespace lq::io
