// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites that go on while they are read: all of them, each once, with their sums, whatever is read again.
#include "engine/file_order.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "storage/forwarding.hpp"
#include "support/error_of.hpp"

namespace lq::engine {
namespace {

constexpr std::uint64_t source_begin = 24, target_begin = 8, all_sites = 4 * 4 * 4 * 8, bytes_of_site = 576;

Payload payload_at(std::uint64_t offset) {
  Payload payload;
  payload.offset = offset;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = 72;
  payload.extents = {4, 4, 4, 8};
  payload.stored = whole(payload.extents);
  payload.length = all_sites * bytes_of_site;
  return payload;
}

// Byte k of site r is (7r + k) & 255, whose SciDAC checksum is published.
std::vector<std::byte> bytes_from(std::uint64_t offset) {
  std::vector<std::byte> bytes(offset + all_sites * bytes_of_site);
  for (std::uint64_t r = 0; r < all_sites; ++r) {
    for (std::uint64_t k = 0; k < bytes_of_site; ++k) {
      bytes[offset + r * bytes_of_site + k] = static_cast<std::byte>((7 * r + k) & 255);
    }
  }
  return bytes;
}

// Counts what is written.
class CountedFile final : public storage::ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  void write_at(std::uint64_t offset, base::Bytes some) override {
    written += some.size();
    inner().write_at(offset, some);
  }
  std::vector<std::byte> bytes() {
    std::vector<std::byte> all(size());
    EXPECT_EQ(read_at(0, all), all.size());
    return all;
  }

  std::uint64_t written = 0;
};

class Passing : public ::testing::Test {
 protected:
  void read(PassThrough& passing, std::uint64_t first, std::uint64_t count) {
    std::vector<std::byte> some(count * bytes_of_site);
    const std::uint64_t at = source_begin + first * bytes_of_site;
    ASSERT_EQ(passing.read_at(at, some), some.size());
    EXPECT_TRUE(std::equal(some.begin(), some.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at)));
  }

  Payload source_ = payload_at(source_begin), target_ = payload_at(target_begin);
  std::vector<std::byte> bytes_ = bytes_from(source_begin);
  base::MemorySource from_{bytes_, "old"};
  std::shared_ptr<storage::Transport> memory_ = storage::make_memory();
  CountedFile to_{memory_->create("new", {})};
  TransferStats written_{target_, {{SumKind::scidac, SumOf::field}}};
};

TEST_F(Passing, EverySiteArrivesOnceWithItsSums) {
  PassThrough passing(from_, source_, to_, target_, {0, all_sites}, written_);
  std::vector<std::byte> header(source_begin);
  EXPECT_EQ(passing.read_at(0, header), source_begin);
  EXPECT_EQ(to_.written, 0U);
  for (std::uint64_t site = 0; site < all_sites; site += 100) {
    read(passing, site, std::min<std::uint64_t>(100, all_sites - site));
    read(passing, 0, 64);  // again
  }
  passing.require_all();
  EXPECT_EQ(to_.bytes(), bytes_from(target_begin));
  EXPECT_EQ(to_.written, all_sites * bytes_of_site);
  EXPECT_EQ(written_.bytes, all_sites * bytes_of_site);
  EXPECT_EQ(written_.sums.total(), (Checksum{0x5e8de3fc, 0xa4da5b58}));
}

TEST_F(Passing, SharesOfTwoMakeTheWhole) {
  TransferStats other = written_.empty(target_);
  PassThrough first(from_, source_, to_, target_, {0, 200}, written_);
  PassThrough second(from_, source_, to_, target_, {200, all_sites}, other);
  read(second, 200, all_sites - 200);
  read(second, 0, 64);  // not its own
  read(first, 0, 256);  // more than its own
  first.require_all();
  second.require_all();
  written_.add(other);
  EXPECT_EQ(to_.bytes(), bytes_from(target_begin));
  EXPECT_EQ(to_.written, all_sites * bytes_of_site);
  EXPECT_EQ(written_.sums.total(), (Checksum{0x5e8de3fc, 0xa4da5b58}));
}

TEST_F(Passing, WhatWasNotReadIsMissed) {
  PassThrough passing(from_, source_, to_, target_, {0, all_sites}, written_);
  read(passing, 0, 100);
  read(passing, 101, all_sites - 101);
  const Error error = testing::error_of([&] { passing.require_all(); });
  EXPECT_EQ(error.code(), Code::internal);
  EXPECT_STREQ(error.what(), "old: the sites 100 to 511 were not forwarded; please report");
}

TEST_F(Passing, OnlyOfFilesThatHoldSitesAlike) {
  EXPECT_TRUE(PassThrough::is_possible(source_, target_));
  Payload other = target_;
  other.order = {0, 1, 2, 3};  // as without words
  EXPECT_TRUE(PassThrough::is_possible(source_, other));
  const auto is_refused = [&](const auto& change) {
    Payload changed = target_;
    change(changed);
    return !PassThrough::is_possible(source_, changed) && !PassThrough::is_possible(changed, source_);
  };
  EXPECT_TRUE(is_refused([](Payload& p) { p.spec.precision = Precision::single; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.byte_order = ByteOrder::little; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.order = {3, 2, 1, 0}; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.codec.order = {0, 1, 2}; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.codec.fixed16 = true; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.stored.extents[3] = 4; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.tile_sites = 64; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.encoding = "su3"; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.at_odd_points = true; }));
  EXPECT_TRUE(is_refused([](Payload& p) { p.arrays = 2; }));
}

}  // namespace
}  // namespace lq::engine
