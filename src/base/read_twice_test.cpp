// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One flipped bit in either of two reads is an error that says where; equal reads pass, at the end of the file, too.
#include "base/byte_source.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include <vector>

namespace lq::base {
namespace {

// Of its reads, number `flipped` has one bit changed, in its last byte.
class FlippingSource final : public ByteSource {
 public:
  FlippingSource(std::size_t bytes, int flipped) : bytes_(bytes, std::byte{7}), flipped_(flipped) {}
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override {
    const std::size_t got = MemorySource(bytes_, path_).read_at(offset, buffer);
    if (reads++ == flipped_ && got > 0) buffer[got - 1] ^= std::byte{4};
    return got;
  }
  int reads = 0;

 private:
  std::vector<std::byte> bytes_;
  int flipped_;
  std::string path_ = "flipping";
};

TEST(ReadTwice, GivesWhatComesTwice) {
  FlippingSource source(1000000, -1);
  std::vector<std::byte> buffer(700000);
  EXPECT_EQ(ReadTwice(source).read_at(100, buffer), 700000U);
  EXPECT_EQ(buffer.back(), std::byte{7});
  EXPECT_EQ(ReadTwice(source).read_at(999000, buffer), 1000U);
  EXPECT_EQ(ReadTwice(source).read_at(1000000, buffer), 0U);
}

TEST(ReadTwice, FindsABitThatFlippedInAnyRead) {
  FlippingSource sound(300000, -1);
  std::vector<std::byte> buffer(300000);
  ReadTwice(sound).read_at(0, buffer);
  ASSERT_GT(sound.reads, 2);  // the second time in pieces
  for (int k = 0; k < sound.reads; ++k) {
    FlippingSource source(300000, k);
    try {
      ReadTwice(source).read_at(0, buffer);
      ADD_FAILURE() << "read " << k << " had a flipped bit";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::io);
      EXPECT_EQ(error.facts().path, "flipping");
    }
  }
}

}  // namespace
}  // namespace lq::base
