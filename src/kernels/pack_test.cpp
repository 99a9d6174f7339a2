// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packing against a plain loop over numbers: all precisions, byte orders, strides, alignments and counts.
#include "kernels/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace lq::kernels {
namespace {

constexpr std::array precisions = {Precision::single, Precision::double_};

std::size_t size_of(Precision precision) { return precision == Precision::single ? 4 : 8; }

double read_number(Precision precision, const std::byte* from, bool swap) {
  std::array<std::byte, 8> bytes{};
  std::copy_n(from, size_of(precision), bytes.begin());
  if (swap) std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size_of(precision)));
  if (precision == Precision::double_) return std::bit_cast<double>(bytes);
  float number;
  std::memcpy(&number, bytes.data(), 4);
  return number;
}

void write_number(Precision precision, double number, std::byte* to, bool swap) {
  const auto narrow = static_cast<float>(number);
  if (precision == Precision::single) {
    std::memcpy(to, &narrow, 4);
  } else {
    std::memcpy(to, &number, 8);
  }
  if (swap) std::reverse(to, to + size_of(precision));
}

// Numbers of all sizes that the precision holds, and some special ones.
std::vector<std::byte> numbers_of(Precision precision, std::size_t count, bool swap) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-160, 160);
  const std::array special = {0.0,    -0.0,        1e-310,      1e39,
                              3.5e38, 1 + 0x1p-24, 1 + 0x3p-24, std::numeric_limits<double>::infinity()};
  std::vector<std::byte> bytes(count * size_of(precision));
  for (std::size_t i = 0; i < count; ++i) {
    const double number = i % 5 == 4 ? special[i / 5 % special.size()] : std::ldexp(mantissa(random), exponent(random));
    write_number(precision, number, bytes.data() + i * size_of(precision), swap);
  }
  return bytes;
}

struct Case {
  SiteForm form;
  std::uint64_t sites;
  std::ptrdiff_t stride;
  std::size_t misalignment;

  std::size_t memory_site() const { return form.numbers * size_of(form.memory); }
  std::size_t file_site() const { return form.numbers * size_of(form.file); }
  // Memory spans |stride| per site; with a negative stride the first site is the last in memory.
  std::size_t memory_bytes() const { return static_cast<std::size_t>(std::abs(stride)) * sites + memory_site(); }
  std::size_t first_site() const { return stride >= 0 ? 0 : static_cast<std::size_t>(-stride) * (sites - 1); }
  std::size_t site_at(std::uint64_t k) const {
    return first_site() + static_cast<std::size_t>(stride) * static_cast<std::size_t>(k);
  }
  std::string text() const {
    return ::testing::PrintToString(form.numbers) + " numbers " + std::string(name(form.memory)) + "/" +
           std::string(name(form.file)) + " swap " + std::to_string(form.swap) + " sites " + std::to_string(sites) +
           " stride " + std::to_string(stride) + " misalignment " + std::to_string(misalignment);
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Precision memory : precisions) {
    for (const Precision file : precisions) {
      for (const bool swap : {false, true}) {
        for (const std::uint64_t numbers : {1u, 2u, 3u, 7u, 24u, 72u}) {
          const auto dense = static_cast<std::ptrdiff_t>(numbers * size_of(memory));
          for (const std::ptrdiff_t stride : {dense, dense + 8, 3 * dense + 3, -dense, -2 * dense - 5}) {
            for (const std::uint64_t sites : {1u, 2u, 13u}) {
              for (const std::size_t misalignment : {0u, 1u, 4u}) {
                all.push_back({{numbers, memory, file, swap}, sites, stride, misalignment});
              }
            }
          }
        }
      }
    }
  }
  return all;
}

constexpr std::byte untouched{0xa5};

// A buffer that starts `misalignment` bytes behind an aligned address and ends in a guard.
std::vector<std::byte> guarded(std::size_t misalignment, std::size_t bytes) {
  return std::vector<std::byte>(misalignment + bytes + 16, untouched);
}

TEST(Pack, EqualsAPlainLoop) {
  for (const Case& c : cases()) {
    std::vector<std::byte> memory = guarded(c.misalignment, c.memory_bytes());
    const std::vector<std::byte> numbers = numbers_of(c.form.memory, c.form.numbers * c.sites, false);
    std::vector<std::byte> expected = guarded(c.misalignment, c.file_site() * c.sites);
    std::vector<std::byte> file = expected;
    for (std::uint64_t k = 0; k < c.sites; ++k) {
      for (std::size_t i = 0; i < c.form.numbers; ++i) {
        const std::byte* from = numbers.data() + k * c.memory_site() + i * size_of(c.form.memory);
        std::byte* to = expected.data() + c.misalignment + k * c.file_site() + i * size_of(c.form.file);
        std::copy_n(from, size_of(c.form.memory),
                    memory.data() + c.misalignment + c.site_at(k) + i * size_of(c.form.memory));
        write_number(c.form.file, read_number(c.form.memory, from, false), to, c.form.swap);
      }
    }
    pack_sites(c.form, memory.data() + c.misalignment + c.first_site(), c.stride, c.sites,
               file.data() + c.misalignment);
    ASSERT_EQ(file, expected) << c.text();
  }
}

TEST(Unpack, EqualsAPlainLoopAndLeavesGapsAlone) {
  for (const Case& c : cases()) {
    const std::vector<std::byte> numbers = numbers_of(c.form.file, c.form.numbers * c.sites, c.form.swap);
    std::vector<std::byte> file = guarded(c.misalignment, numbers.size());
    std::copy(numbers.begin(), numbers.end(), file.begin() + static_cast<std::ptrdiff_t>(c.misalignment));
    std::vector<std::byte> expected = guarded(c.misalignment, c.memory_bytes());
    std::vector<std::byte> memory = expected;
    for (std::uint64_t k = 0; k < c.sites; ++k) {
      for (std::size_t i = 0; i < c.form.numbers; ++i) {
        const std::byte* from = numbers.data() + k * c.file_site() + i * size_of(c.form.file);
        std::byte* to = expected.data() + c.misalignment + c.site_at(k) + i * size_of(c.form.memory);
        write_number(c.form.memory, read_number(c.form.file, from, c.form.swap), to, false);
      }
    }
    unpack_sites(c.form, file.data() + c.misalignment, c.sites, memory.data() + c.misalignment + c.first_site(),
                 c.stride);
    ASSERT_EQ(memory, expected) << c.text();
  }
}

TEST(Pack, WritesBigEndianBytes) {
  const double numbers[] = {1.0, -2.5};
  std::array<std::byte, 8> file;
  pack_sites({2, Precision::double_, Precision::single, std::endian::native == std::endian::little},
             reinterpret_cast<const std::byte*>(numbers), 16, 1, file.data());
  const std::array<std::byte, 8> expected = {std::byte{0x3f}, std::byte{0x80}, std::byte{0}, std::byte{0},
                                             std::byte{0xc0}, std::byte{0x20}, std::byte{0}, std::byte{0}};
  EXPECT_EQ(file, expected);
}

TEST(Pack, KeepsEveryBitOfANaNWithinOnePrecision) {
  for (const bool swap : {false, true}) {
    const std::uint64_t signalling = 0x7ff0000000000123;
    std::uint64_t packed = 0, back = 0;
    const SiteForm form{1, Precision::double_, Precision::double_, swap};
    pack_sites(form, reinterpret_cast<const std::byte*>(&signalling), 8, 1, reinterpret_cast<std::byte*>(&packed));
    unpack_sites(form, reinterpret_cast<const std::byte*>(&packed), 1, reinterpret_cast<std::byte*>(&back), 8);
    EXPECT_EQ(packed, swap ? 0x230100000000f07fu : signalling);
    EXPECT_EQ(back, signalling);
  }
}

TEST(Pack, OfNoSitesTouchesNothing) {
  const double number = 1;
  std::byte file = untouched;
  pack_sites({1, Precision::double_, Precision::double_, true}, reinterpret_cast<const std::byte*>(&number), 8, 0,
             &file);
  EXPECT_EQ(file, untouched);
  for (const bool swap : {false, true}) {
    pack_sites({1, Precision::double_, Precision::double_, swap}, nullptr, 8, 0, nullptr);
    unpack_sites({1, Precision::double_, Precision::double_, swap}, nullptr, 0, nullptr, 8);
  }
}

TEST(TurnSites, IsUnpackingToTheSamePlace) {
  for (const Precision precision : precisions) {
    for (const bool swap : {false, true}) {
      for (std::size_t count = 0; count < 70; ++count) {
        const SiteForm form{1, precision, precision, swap};
        std::vector<std::byte> turned = numbers_of(precision, count, false);
        std::vector<std::byte> expected(turned.size());
        unpack_sites(form, turned.data(), count, expected.data(), static_cast<std::ptrdiff_t>(size_of(precision)));
        turn_sites(form, turned.data(), count);
        ASSERT_EQ(turned, expected) << count;
        for (const InstructionSet set : instruction_sets_here()) {
          turn_loop(set, precision)(turned.data(), count);
          turn_loop(InstructionSet::portable, precision)(turned.data(), count);
          ASSERT_EQ(turned, expected) << count;
        }
      }
    }
  }
}

TEST(CopyLoops, OfAllInstructionSetsGiveTheSameBits) {
  for (const InstructionSet set : instruction_sets_here()) {
    for (const Precision from : precisions) {
      for (const Precision to : precisions) {
        for (const auto& [swap_from, swap_to] : {std::pair{false, false}, {true, false}, {false, true}}) {
          for (std::size_t count = 0; count < 70; ++count) {
            const std::vector<std::byte> in = numbers_of(from, count, swap_from);
            std::vector<std::byte> plain = guarded(0, count * size_of(to));
            std::vector<std::byte> other = plain;
            copy_loop(InstructionSet::portable, {from, swap_from}, {to, swap_to})(in.data(), plain.data(), count);
            copy_loop(set, {from, swap_from}, {to, swap_to})(in.data(), other.data(), count);
            ASSERT_EQ(plain, other) << count << " by " << name(set);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lq::kernels
