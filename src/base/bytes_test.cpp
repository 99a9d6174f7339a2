// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Integers of fixed byte order, and bytes in memory as a source.
#include <gtest/gtest.h>

#include <array>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::base {
namespace {

TEST(Bytes, AreStoredBigEndian) {
  std::array<std::byte, 4> bytes;
  store_be<std::uint32_t>(bytes.data(), 0x456789ab);
  EXPECT_EQ(as_text(bytes), "\x45\x67\x89\xab");
  EXPECT_EQ(load_be<std::uint32_t>(bytes.data()), 0x456789abu);
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data()), 0xab896745u);
  EXPECT_EQ(load_be<std::uint16_t>(bytes.data()), 0x4567u);
}

TEST(Bytes, AreStoredLittleEndian) {
  std::array<std::byte, 8> bytes;
  store_le<std::uint64_t>(bytes.data(), 0x0102030405060708);
  EXPECT_EQ(as_text(bytes), "\x08\x07\x06\x05\x04\x03\x02\x01");
  EXPECT_EQ(load_le<std::uint64_t>(bytes.data()), 0x0102030405060708u);
  EXPECT_EQ(load_be<std::uint64_t>(bytes.data()), 0x0807060504030201u);
}

std::string read(MemorySource& source, std::uint64_t offset, std::size_t count) {
  std::string text(count, '#');
  const std::size_t got = source.read_at(offset, {reinterpret_cast<std::byte*>(text.data()), count});
  EXPECT_TRUE(text.substr(got).find_first_not_of('#') == std::string::npos) << "wrote behind the bytes read";
  return text.substr(0, got);
}

TEST(MemorySource, ReadsWhatThereIs) {
  MemorySource source(as_bytes("0123456789"), "memory");
  EXPECT_EQ(source.size(), 10u);
  EXPECT_EQ(source.path(), "memory");
  EXPECT_EQ(read(source, 0, 10), "0123456789");
  EXPECT_EQ(read(source, 3, 4), "3456");
  EXPECT_EQ(read(source, 8, 100), "89");
  EXPECT_EQ(read(source, 10, 1), "");
  EXPECT_EQ(read(source, ~std::uint64_t{0}, 1), "");
  EXPECT_EQ(read(source, 0, 0), "");
}

}  // namespace
}  // namespace lq::base
