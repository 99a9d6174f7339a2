// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites between memory of a GPU and the host, whatever their spacing and the order in which they are asked for.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "device/pooled_buffer.hpp"
#include "device/sites.hpp"
#include "support/device_memory.hpp"
#include "support/error_of.hpp"

namespace lq::device {
namespace {

using testing::DeviceArray;
using testing::DeviceLibrary;

constexpr std::size_t site_numbers = 18, site_bytes = site_numbers * 8;
constexpr std::uint64_t many = 5 * block_bytes / site_bytes + 7;  // sites: several blocks, and a rest

std::vector<double> counted(std::uint64_t sites) {
  std::vector<double> numbers(sites * site_numbers);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  return numbers;
}

struct Found {
  DeviceContext home;
  const Driver* driver;
  explicit Found(const void* memory) : driver(driver_of(memory, home)) {}
};

// `sites` sites as SitesOut gives them.
void take_all(SitesOut& out, const std::byte* first, std::uint64_t step, std::uint64_t sites, std::vector<double>& to) {
  const auto stride = static_cast<std::ptrdiff_t>(step * site_bytes);
  while (sites > 0) {
    const SitesOut::SiteSpan some = out.take(first, stride, sites);
    ASSERT_GE(some.sites, 1U);
    ASSERT_LE(some.sites, sites);
    const auto* const numbers = reinterpret_cast<const double*>(some.at);
    to.insert(to.end(), numbers, numbers + some.sites * site_numbers);
    first += static_cast<std::ptrdiff_t>(some.sites) * stride;
    sites -= some.sites;
  }
}

class Device : public ::testing::Test {
 protected:
  void TearDown() override {
    if (!library_.is_stand_in()) return;
    library_.fail(0, 0);
    free_kept_blocks();
    EXPECT_EQ(library_.counts().held, 0) << "streams, events or page-locked memory are left over";
    EXPECT_EQ(library_.counts().copies_of_pageable_memory, 0U);
  }

  const DeviceLibrary& library_ = DeviceLibrary::get();
};

TEST_F(Device, OwnsItsMemoryAndNoOther) {
  const DeviceArray<double> array(many);
  const std::vector<double> host(3);
  EXPECT_TRUE(is_device_memory(array.data()));
  EXPECT_TRUE(is_device_memory(array.data() + many - 1));
  EXPECT_FALSE(is_device_memory(host.data()));
  EXPECT_FALSE(is_device_memory(nullptr));
  EXPECT_EQ(Found(array.data()).driver->name(), library_.driver_name());
}

TEST_F(Device, RefusesAddressesThatAreNobodys) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const freed = mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(freed, page);
  const Error error = testing::error_of([&] { is_device_memory(freed); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("may have been freed"), std::string::npos) << error.what();
}

TEST_F(Device, GivesSitesOneBehindTheOther) {
  const std::vector<double> numbers = counted(many);
  const DeviceArray<double> array(numbers);
  const Found found(array.data());
  const auto* const memory = reinterpret_cast<const std::byte*>(array.data());
  for (const std::uint64_t piece : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1000}, many}) {
    SitesOut out(*found.driver, found.home, memory, many, site_bytes);
    std::vector<double> got;
    for (std::uint64_t at = 0; at < many; at += piece) {
      take_all(out, memory + at * site_bytes, 1, std::min(piece, many - at), got);
    }
    EXPECT_EQ(got, numbers) << piece;
  }
}

TEST_F(Device, CopiesEachByteOnceWhenSitesAreTakenInTurn) {
  if (!library_.is_stand_in()) GTEST_SKIP() << "a real driver does not count";
  const std::vector<double> numbers = counted(many);
  const DeviceArray<double> array(numbers);
  const Found found(array.data());
  const auto* const memory = reinterpret_cast<const std::byte*>(array.data());
  const LqStandInCounts before = library_.counts();
  {
    SitesOut out(*found.driver, found.home, memory, many, site_bytes);
    std::vector<double> got;
    for (std::uint64_t at = 0; at < many; at += 3) {
      take_all(out, memory + at * site_bytes, 1, std::min<std::uint64_t>(3, many - at), got);
    }
  }
  EXPECT_EQ(library_.counts().bytes - before.bytes, many * site_bytes);
  EXPECT_LE(library_.counts().copies - before.copies, many * site_bytes / block_bytes + 3);
}

TEST_F(Device, GivesSitesInAnyOrderAndSpacing) {
  const std::vector<double> numbers = counted(many);
  const DeviceArray<double> array(numbers);
  const Found found(array.data());
  const auto* const memory = reinterpret_cast<const std::byte*>(array.data());
  SitesOut out(*found.driver, found.home, memory, many, site_bytes);
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    const std::uint64_t first = random() % many, step = random() % 4 == 0 ? 1 + random() % 5 : 1;
    const std::uint64_t sites = 1 + random() % ((many - first - 1) / step + 1);
    std::vector<double> got, expected;
    take_all(out, memory + first * site_bytes, step, sites, got);
    for (std::uint64_t k = 0; k < sites; ++k) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>((first + k * step) * site_numbers);
      expected.insert(expected.end(), begin, begin + site_numbers);
    }
    ASSERT_EQ(got, expected) << first << ", " << sites << " sites " << step << " apart";
  }
}

TEST_F(Device, TakesSitesInAnySpacing) {
  for (const std::uint64_t step : {1U, 2U, 5U}) {
    const std::uint64_t sites = (many - 1) / step + 1;
    const std::vector<double> numbers = counted(sites);
    const DeviceArray<double> array(std::vector<double>(many * site_numbers, -1));
    const Found found(array.data());
    auto* const memory = reinterpret_cast<std::byte*>(array.data());
    SitesIn in(*found.driver, found.home, site_bytes);
    for (std::uint64_t k = 0; k < sites;) {
      const SitesIn::Buffer buffer = in.buffer(sites - k);
      ASSERT_GE(buffer.sites, 1U);
      std::memcpy(buffer.at, numbers.data() + k * site_numbers, buffer.sites * site_bytes);
      in.put(memory + k * step * site_bytes, static_cast<std::ptrdiff_t>(step * site_bytes), buffer.sites);
      k += buffer.sites;
    }
    in.finish();
    std::vector<double> expected(many * site_numbers, -1);
    for (std::uint64_t k = 0; k < sites; ++k) {
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(k * site_numbers), site_numbers,
                  expected.begin() + static_cast<std::ptrdiff_t>(k * step * site_numbers));
    }
    EXPECT_EQ(array.values(), expected) << step;
  }
}

TEST_F(Device, TakesWholeFields) {
  const std::vector<double> numbers = counted(many);
  const DeviceArray<double> array(numbers.size());
  const Found found(array.data());
  copy_in(*found.driver, found.home, reinterpret_cast<const std::byte*>(numbers.data()),
          reinterpret_cast<std::byte*>(array.data()), many, site_bytes);
  EXPECT_EQ(array.values(), numbers);
}

// MPI libraries load the driver into programs that never begin to use it.
TEST_F(Device, ADriverThatWasNotBegunOwnsNothing) {
  if (!library_.is_stand_in()) GTEST_SKIP() << "a real driver was begun by this test";
  std::vector<double> numbers(1);
  library_.begun(false);
  DeviceContext home;
  EXPECT_EQ(driver_of(numbers.data(), home), nullptr);
  EXPECT_FALSE(is_device_memory(numbers.data()));
  library_.begun(true);
}

TEST_F(Device, MemoryOfAPoolHasTheContextOfItsDevice) {
  if (!library_.is_stand_in()) GTEST_SKIP() << "needs memory of a pool";
  const std::vector<double> numbers = counted(100);
  const DeviceArray<double> array(numbers);
  library_.pool(true);
  const Found found(array.data());
  library_.pool(false);
  ASSERT_NE(found.driver, nullptr);
  const auto* const memory = reinterpret_cast<const std::byte*>(array.data());
  SitesOut out(*found.driver, found.home, memory, 100, site_bytes);
  std::vector<double> got;
  take_all(out, memory, 1, 100, got);
  EXPECT_EQ(got, numbers);
}

TEST_F(Device, BlocksAreLentToTheNextTransfer) {
  const DeviceArray<double> array(1);
  const Found found(array.data());
  const auto lend = [&](std::size_t bytes) {
    const ContextScope inside(*found.driver, found.home);
    return PooledBuffer(*found.driver, found.home, bytes, bytes);
  };
  constexpr std::size_t bytes = 100'000;
  std::byte* first = nullptr;
  {
    const PooledBuffer block = lend(bytes), other = lend(bytes);
    first = block.host();
    EXPECT_NE(other.host(), first);
    EXPECT_NE(other.gpu(), block.gpu());
  }
  {
    const PooledBuffer same = lend(bytes), other = lend(bytes - 1);
    EXPECT_TRUE(same.host() == first || other.host() == first);
    const PooledBuffer small = lend(bytes / 3), large = lend(2 * bytes);
    EXPECT_NE(small.host(), first);
    EXPECT_NE(large.host(), first);
  }
}

TEST_F(Device, BlocksAreKeptUpToALimit) {
  if (!library_.is_stand_in()) GTEST_SKIP() << "a real driver does not count";
  const DeviceArray<double> array(1);
  const Found found(array.data());
  constexpr std::size_t bytes = most_kept_bytes / 4;
  {
    std::vector<PooledBuffer> blocks;
    const ContextScope inside(*found.driver, found.home);
    for (int i = 0; i < 6; ++i) blocks.emplace_back(*found.driver, found.home, bytes, bytes);
    EXPECT_EQ(library_.counts().held, 6 * 4);
  }
  EXPECT_EQ(library_.counts().held, 4 * 4);
}

// What lay on the GPU before is gone, and its handle may be that of its successor.
TEST_F(Device, BlocksOfAGpuThatWasResetAreForgotten) {
  if (!library_.is_stand_in() || std::string(library_.driver_name()) != "CUDA") GTEST_SKIP() << "nobody resets it";
  const std::vector<double> numbers = counted(100);
  const auto move = [&] {
    const DeviceArray<double> array(numbers);
    const Found found(array.data());
    const auto* const memory = reinterpret_cast<const std::byte*>(array.data());
    SitesOut out(*found.driver, found.home, memory, 100, site_bytes);
    std::vector<double> got;
    take_all(out, memory, 1, 100, got);
    EXPECT_EQ(got, numbers);
  };
  move();
  EXPECT_GT(library_.counts().held, 0);
  library_.reset();
  move();
}

// Whichever call fails: what was asked for is done, or a typed error tells the call; nothing is left over (TearDown).
TEST_F(Device, EveryCallOfTheDriverMayFail) {
  if (!library_.is_stand_in()) GTEST_SKIP() << "a real driver fails when it likes";
  const std::vector<double> numbers = counted(many);
  const DeviceArray<double> from(numbers), to(numbers.size());
  const auto move = [&] {
    const Found source(from.data()), target(to.data());
    const auto* const memory = reinterpret_cast<const std::byte*>(from.data());
    SitesOut out(*source.driver, source.home, memory, many, site_bytes);
    std::vector<double> got;
    take_all(out, memory, 1, many, got);
    copy_in(*target.driver, target.home, reinterpret_cast<const std::byte*>(got.data()),
            reinterpret_cast<std::byte*>(to.data()), many, site_bytes);
  };
  const std::uint64_t before = library_.counts().calls;
  move();
  const std::uint64_t calls = library_.counts().calls - before;
  ASSERT_GT(calls, 30U);
  int failed = 0;
  for (std::uint64_t call = 1; call <= calls; ++call) {
    const int result = call % 2 == 0 ? 700 : 2;
    free_kept_blocks();
    library_.fail(call, result);
    const Error error = testing::error_of(move);
    library_.fail(0, 0);
    free_kept_blocks();
    EXPECT_EQ(library_.counts().held, 0) << call;
    if (error.code() == Code::ok) continue;
    ++failed;
    EXPECT_EQ(error.code(), result == 2 ? Code::out_of_memory : Code::io) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::string("of the ") + library_.driver_name() + " driver"),
              std::string::npos)
        << error.what();
  }
  EXPECT_GT(failed, static_cast<int>(calls) - 10);  // all but those of destructors
  move();
  EXPECT_EQ(to.values(), numbers);
}

}  // namespace
}  // namespace lq::device
