// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a GPU computes of sites, against the loops of the host: every form, every kind of number, and the CRC-32 of each
// site, to the last bit.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "device/file_blocks.hpp"
#include "kernels/crc32.hpp"
#include "kernels/pack.hpp"
#include "support/device_memory.hpp"

namespace lq::device {
namespace {

using testing::DeviceArray;
using testing::DeviceLibrary;

constexpr std::uint64_t site_numbers = 6, volume = 500;

struct Form {
  Precision memory, file;
  bool swap;
};
void PrintTo(const Form& form, std::ostream* out) {
  *out << name(form.memory) << "_to_" << name(form.file) << (form.swap ? "_swapped" : "");
}

unsigned width(Precision precision) { return precision == Precision::single ? 4 : 8; }

// Any bits: numbers of all magnitudes, infinities, and what is no number, quiet or not.
template <class Bits>
std::vector<std::byte> any_numbers(std::uint64_t count, Bits exponents) {
  std::mt19937_64 random(11);
  std::vector<Bits> numbers;
  for (std::uint64_t i = 0; i < count; ++i) {
    Bits bits = static_cast<Bits>(random());
    if (i % 7 == 0) bits |= exponents;
    if (i % 49 == 0) bits = exponents | (i % 2 == 0 ? 0 : Bits{1} << (sizeof(Bits) * 8 - 1));
    if constexpr (sizeof(Bits) == 8) {
      if (i % 5 == 0) bits = std::bit_cast<Bits>(static_cast<double>(i) * 1.2345678901e-3);
      if (i % 11 == 0) bits = std::bit_cast<Bits>(static_cast<double>(i + 1) * 1.1e-42);
    }
    numbers.push_back(bits);
  }
  std::vector<std::byte> bytes(numbers.size() * sizeof(Bits));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> numbers_of(Precision precision) {
  constexpr std::uint64_t count = volume * site_numbers;
  return precision == Precision::single ? any_numbers<std::uint32_t>(count, 0x7f800000U)
                                        : any_numbers<std::uint64_t>(count, 0x7ff0000000000000U);
}

class Kernels : public ::testing::TestWithParam<Form> {
 protected:
  void SetUp() override {
    driver_ = driver_of(anything_.data(), home_);
    ASSERT_NE(driver_, nullptr);
    program_ = program_of(*driver_, home_);
    ASSERT_NE(program_, nullptr) << "no compiler for GPUs was found";
  }

  static FileForm form() {
    FileForm form;
    for (std::uint64_t i = 0; i < site_numbers; ++i) {
      form.numbers.push_back({static_cast<long long>(i * width(GetParam().memory)), 0});
    }
    form.memory_bytes = width(GetParam().memory);
    form.file_bytes = width(GetParam().file);
    form.swap = GetParam().swap;
    form.has_crcs = true;
    return form;
  }
  static kernels::SiteForm host_form() { return {site_numbers, GetParam().memory, GetParam().file, GetParam().swap}; }
  static std::size_t memory_bytes() { return site_numbers * width(GetParam().memory); }
  static std::size_t file_bytes() { return site_numbers * width(GetParam().file); }

  void expect_crcs(const FileBlocks& blocks, std::size_t i, std::uint64_t sites) const {
    for (std::uint64_t k = 0; k < sites; ++k) {
      ASSERT_EQ(blocks.crcs(i)[k], kernels::crc32(0, {blocks.file(i) + k * file_bytes(), file_bytes()})) << k;
    }
  }

  DeviceArray<double> anything_{1};
  DeviceContext home_;
  const Driver* driver_ = nullptr;
  const Program* program_ = nullptr;
};

TEST_P(Kernels, PackAsTheHost) {
  const std::vector<std::byte> memory = numbers_of(GetParam().memory);
  std::vector<std::byte> expected(volume * file_bytes());
  kernels::pack_sites(host_form(), memory.data(), static_cast<std::ptrdiff_t>(memory_bytes()), volume, expected.data());
  const DeviceArray<std::byte> array(memory);
  FileBlocks blocks(*driver_, home_, *program_, form());
  for (const std::size_t i : {0U, 1U}) {
    blocks.begin_out(i, {volume, array.data(), static_cast<std::ptrdiff_t>(memory_bytes()), {}});
    blocks.wait(i);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), blocks.file(i)));
    expect_crcs(blocks, i, volume);
  }
}

TEST_P(Kernels, UnpackAsTheHost) {
  const std::vector<std::byte> file = numbers_of(GetParam().file);
  std::vector<std::byte> expected(volume * memory_bytes());
  kernels::unpack_sites(host_form(), file.data(), volume, expected.data(), static_cast<std::ptrdiff_t>(memory_bytes()));
  const DeviceArray<std::byte> array(expected.size());
  FileBlocks blocks(*driver_, home_, *program_, form());
  std::copy(file.begin(), file.end(), blocks.file(1));
  blocks.begin_in(1, {volume, array.data(), static_cast<std::ptrdiff_t>(memory_bytes()), {}});
  blocks.wait(1);
  EXPECT_TRUE(array.values() == expected);
  expect_crcs(blocks, 1, volume);
}

// Every other site is there, in reverse, with its numbers apart in memory.
TEST_P(Kernels, GoWherePlacesTell) {
  const std::vector<std::byte> memory = numbers_of(GetParam().memory);
  const DeviceArray<std::byte> array(memory);
  FileForm apart = form();
  apart.groups = 1;
  for (std::uint64_t i = 0; i < site_numbers; ++i) {
    apart.numbers[i].offset = static_cast<long long>(reinterpret_cast<std::intptr_t>(array.data()) +
                                                     static_cast<std::intptr_t>(i * volume * width(GetParam().memory)));
  }
  std::vector<std::int64_t> places;
  std::vector<std::byte> gathered(volume * memory_bytes());
  for (std::uint64_t k = 0; k < volume; ++k) {
    places.push_back(k % 2 == 0 ? static_cast<std::int64_t>(volume - 1 - k) : -1);
    if (k % 2 != 0) continue;
    for (std::uint64_t i = 0; i < site_numbers; ++i) {
      const std::size_t bytes = width(GetParam().memory);
      std::memcpy(gathered.data() + (k * site_numbers + i) * bytes,
                  memory.data() + (i * volume + volume - 1 - k) * bytes, bytes);
    }
  }
  std::vector<std::byte> expected(volume * file_bytes());
  kernels::pack_sites(host_form(), gathered.data(), static_cast<std::ptrdiff_t>(memory_bytes()), volume,
                      expected.data());
  FileBlocks blocks(*driver_, home_, *program_, apart);
  blocks.begin_out(0, {volume, nullptr, 0, places});
  blocks.wait(0);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), blocks.file(0)));
  std::copy(expected.begin(), expected.end(), blocks.file(1));
  blocks.begin_in(1, {volume, nullptr, 0, places});
  blocks.wait(1);
  if (GetParam().memory == GetParam().file) {
    EXPECT_TRUE(array.values() == memory);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Kernels,
                         ::testing::Values(Form{Precision::single, Precision::single, true},
                                           Form{Precision::single, Precision::single, false},
                                           Form{Precision::single, Precision::double_, true},
                                           Form{Precision::single, Precision::double_, false},
                                           Form{Precision::double_, Precision::single, true},
                                           Form{Precision::double_, Precision::single, false},
                                           Form{Precision::double_, Precision::double_, true},
                                           Form{Precision::double_, Precision::double_, false}));

TEST(KernelProgram, IsCompiledOnce) {
  if (!DeviceLibrary::get().is_stand_in()) GTEST_SKIP() << "a real compiler does not count";
  const DeviceArray<double> array(1);
  DeviceContext home;
  const Driver* const driver = driver_of(array.data(), home);
  const Program* const program = program_of(*driver, home);
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program_of(*driver, home), program);
  EXPECT_EQ(DeviceLibrary::get().compilations(), 1);
}

// A process of its own under ctest, where nothing was compiled before.
TEST(KernelProgram, IsDoneWithoutWhereNothingCompiles) {
  if (!DeviceLibrary::get().is_stand_in()) GTEST_SKIP() << "a real compiler does as it likes";
  const DeviceArray<double> array(1);
  DeviceContext home;
  const Driver* const driver = driver_of(array.data(), home);
  if (DeviceLibrary::get().compilations() > 0) GTEST_SKIP() << "something was compiled before";
  DeviceLibrary::get().refuse(true);
  EXPECT_EQ(program_of(*driver, home), nullptr);
  const int tried = DeviceLibrary::get().compilations();
  EXPECT_EQ(program_of(*driver, home), nullptr);
  EXPECT_EQ(DeviceLibrary::get().compilations(), tried) << "asked again";
  EXPECT_EQ(why_no_program(*driver, home), "compilation failed: limequat(7): error: no such kernel 1 error");
}

// A driver that does not take it now may do so later.
TEST(KernelProgram, IsLoadedAgainWhereTheDriverFailed) {
  const DeviceLibrary& library = DeviceLibrary::get();
  if (!library.is_stand_in()) GTEST_SKIP() << "a real driver fails when it likes";
  const DeviceArray<double> array(1);
  DeviceContext home;
  const Driver* const driver = driver_of(array.data(), home);
  library.fail(1, 700);
  const Program* const program = program_of(*driver, home);
  library.fail(0, 0);
  if (program != nullptr) GTEST_SKIP() << "it was loaded before";
  EXPECT_NE(program_of(*driver, home), nullptr);
}

}  // namespace
}  // namespace lq::device
