// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Damage by damage is in tests/golden/bad; here is what needs a file too large for it, or a look at the reads.
#include "format/lime/walk.hpp"

#include <gtest/gtest.h>

#include "support/assembled.hpp"

namespace lq::format::lime {
namespace {

// Counts what is asked of a file that is one buffer repeated.
class CountingSource final : public base::ByteSource {
 public:
  CountingSource(std::string_view bytes, std::uint64_t size) : bytes_(bytes), size_(size) {}
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return size_; }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    ++reads;
    const auto held = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset));
    for (std::size_t i = 0; i < held; ++i) {
      buffer[i] = static_cast<std::byte>(bytes_[static_cast<std::size_t>((offset + i) % bytes_.size())]);
    }
    bytes_read += held;
    return held;
  }
  std::uint64_t reads = 0, bytes_read = 0;

 private:
  std::string_view bytes_;
  std::uint64_t size_;
  std::string path_ = "test.lime";
};

Walk walk_through(base::ByteSource& file, const Limits& limits, Findings& findings) {
  ReadAhead window(file);
  return walk(window, limits, findings);
}

TEST(LimeWalk, ReadsTinyRecordsInLargePieces) {
  const std::string record = testing::record("note", "12345678", true, true);
  constexpr std::uint64_t records = 100'000;
  CountingSource file(record, record.size() * records);
  Findings findings;
  EXPECT_EQ(walk_through(file, {}, findings).records.size(), records);
  EXPECT_LT(file.reads, file.size() / (60 * 1024) + 10);
  EXPECT_LT(file.bytes_read, file.size() + file.size() / 100 + 65536);
  EXPECT_TRUE(findings.take().empty());
}

TEST(LimeWalk, SkipsLargePayloads) {
  const std::string record = testing::record("data", std::string(16 << 20, 'x'), true, true);
  CountingSource file(record, record.size() * 4);
  Findings findings;
  EXPECT_EQ(walk_through(file, {}, findings).records.size(), 4U);
  EXPECT_LE(file.bytes_read, 4U * 65536);
}

TEST(LimeWalk, StopsAtTheLimitOfRecords) {
  const std::string record = testing::record("note", "", true, true);
  CountingSource file(record, record.size() * 10);
  Findings findings;
  Limits limits;
  limits.records = 9;
  EXPECT_EQ(walk_through(file, limits, findings).records.size(), 9U);
  const auto found = findings.take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, Code::too_large);
}

TEST(LimeWalk, CountsMessagesByTheirFlags) {
  const std::string bytes = testing::record("a", "", true, false) + testing::record("b", "", false, true) +
                            testing::record("c", "", true, true);
  base::MemorySource file(base::as_bytes(bytes), "test.lime");
  Findings findings;
  const Walk found = walk_through(file, {}, findings);
  ASSERT_EQ(found.records.size(), 3U);
  EXPECT_EQ(found.records[1].message, 1U);
  EXPECT_EQ(found.records[1].number, 2U);
  EXPECT_EQ(found.records[2].message, 2U);
  EXPECT_EQ(found.records[2].number, 1U);
  EXPECT_FALSE(found.inside_message);
}

TEST(LimeWalk, ReportsARuleABoundedNumberOfTimes) {
  const std::string record = testing::record("note", "", false, true);  // MB is missing
  CountingSource file(record, record.size() * 1000);
  Findings findings;
  EXPECT_EQ(walk_through(file, {}, findings).records.size(), 1000U);
  EXPECT_EQ(findings.take().size(), Findings::most_per_rule + 1);
}

}  // namespace
}  // namespace lq::format::lime
