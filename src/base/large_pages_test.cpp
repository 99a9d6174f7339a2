// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <memory>
#include <string>

#include "base/system.hpp"
#include "support/sanitizers.hpp"

namespace lq::base {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

long page_faults() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

// First use of memory that was never used before.
long faults_of(std::size_t bytes, bool is_advised) {
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (is_advised) use_large_pages(memory.get(), bytes);
  const long before = page_faults();
  std::fill_n(memory.get(), bytes, std::byte{7});
  return page_faults() - before;
}

TEST(LargePages, AreMappedAtOnce) {
  if (testing::has_thread_sanitizer) GTEST_SKIP() << "the sanitizer maps pages of its own for each page";
  std::string enabled;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), enabled);
  if (enabled.find("[madvise]") == std::string::npos) GTEST_SKIP() << "large pages are not by request here";
  const long plain = faults_of(64 * mebibyte, false);
  ASSERT_GT(plain, 1000);
  EXPECT_LT(faults_of(64 * mebibyte, true), plain / 4);
}

TEST(LargePages, KeepContents) {
  const std::size_t bytes = 9 * mebibyte + 13;
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<std::byte>(i % 251);
  use_large_pages(memory.get(), bytes);
  for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(memory[i], static_cast<std::byte>(i % 251)) << i;
}

TEST(LargePages, AreNoMatterForLittleMemory) {
  std::byte few[100] = {};
  use_large_pages(few, sizeof(few));
  use_large_pages(nullptr, 0);
  EXPECT_EQ(few[99], std::byte{});
}

}  // namespace
}  // namespace lq::base
