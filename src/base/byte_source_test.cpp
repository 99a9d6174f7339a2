// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kept bytes are those of the source, and are asked for in large pieces.
#include "base/byte_source.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lq::base {
namespace {

class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::size_t bytes) : bytes_(bytes) {
    std::mt19937 random(7);
    for (std::byte& one : bytes_) one = static_cast<std::byte>(random());
  }
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override {
    ++reads;
    read += buffer.size();
    return MemorySource(bytes_, path_).read_at(offset, buffer);
  }
  Bytes from(std::uint64_t offset, std::size_t length) const {
    const Bytes all(bytes_);
    return offset >= all.size() ? Bytes{} : all.subspan(offset, std::min<std::size_t>(length, all.size() - offset));
  }
  std::size_t reads = 0, read = 0;

 private:
  std::vector<std::byte> bytes_;
  std::string path_ = "counted";
};

void expect_same(CachedSource& cached, const CountingSource& source, std::uint64_t offset, std::size_t length) {
  std::vector<std::byte> buffer(length, std::byte{0x55});
  buffer.resize(cached.read_at(offset, buffer));
  const Bytes expected = source.from(offset, length);
  ASSERT_TRUE(std::equal(buffer.begin(), buffer.end(), expected.begin(), expected.end())) << offset << " " << length;
}

constexpr std::size_t mib = std::size_t{1} << 20;

TEST(CachedSource, HasTheBytesOfTheSourceWhereverItIsAsked) {
  CountingSource source(3 * mib + 17);
  CachedSource cached(source);
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) expect_same(cached, source, random() % (source.size() + 100), random() % 40'000);
  expect_same(cached, source, 5, 2 * mib);
}

TEST(CachedSource, ReadsSmallPiecesTogether) {
  CountingSource source(16 * mib);
  CachedSource cached(source);
  for (std::uint64_t at = 0; at < source.size(); at += 500) expect_same(cached, source, at, 144);
  EXPECT_LE(source.reads, 16U + 7);
  const std::size_t before = source.reads;
  for (std::uint64_t at = 0; at < source.size(); at += 500) expect_same(cached, source, at, 144);
  EXPECT_EQ(source.reads, before);
}

TEST(CachedSource, JumpsOverLargePayloads) {
  CountingSource source(64 * mib);
  CachedSource cached(source);
  for (std::uint64_t at = 0; at < source.size(); at += 4 * mib) {
    for (std::uint64_t header = 0; header < 2000; header += 144) expect_same(cached, source, at + header, 144);
  }
  EXPECT_EQ(source.reads, 16U);
  EXPECT_LE(source.read, 16U * 16 * 1024);
}

}  // namespace
}  // namespace lq::base
