// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A journal as bytes: both forms by hand, and every damage of one byte or length.
#include "io/journal.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lq::io {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const base::Bytes bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

Journal example() {
  Journal journal;
  journal.bytes_before = 100;
  journal.start_crc = 0x01020304;
  journal.is_complete = true;
  journal.bytes_after = 130;
  journal.pieces = {{3, bytes_of("abc"), bytes_of("xyz")}, {90, bytes_of("0123456789"), bytes_of("9876543210")}};
  return journal;
}

TEST(JournalCodec, BytesAreThoseOfTheSpecification) {
  Journal head = example();
  head.is_complete = false;
  const std::string start = std::string("LQJOURN1") + "\x64" + std::string(7, '\0') + "\x04\x03\x02\x01";
  const std::vector<std::byte> bytes = encode_journal(head);
  ASSERT_EQ(bytes.size(), 24U);
  EXPECT_EQ(base::as_text(base::Bytes(bytes).first(20)), start);
  const std::vector<std::byte> all = encode_journal(example());
  ASSERT_EQ(all.size(), 24U + 16 + 2 * 16 + 2 * 13 + 4);
  EXPECT_EQ(base::as_text(base::Bytes(all).subspan(72, 26)), "abc0123456789xyz9876543210");
}

TEST(JournalCodec, WhatWasWrittenIsReadBack) {
  EXPECT_EQ(decode_journal(encode_journal(example())), example());
  Journal nothing = example();
  nothing.pieces.clear();
  EXPECT_EQ(decode_journal(encode_journal(nothing)), nothing);
}

TEST(JournalCodec, AnyByteThatChangedMakesItIncomplete) {
  const std::vector<std::byte> good = encode_journal(example());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<std::byte> bad = good;
    bad[i] ^= std::byte{0x10};
    const std::optional<Journal> journal = decode_journal(bad);
    EXPECT_EQ(journal.has_value(), i >= 24) << i;
    EXPECT_FALSE(journal && journal->is_complete) << i;
  }
}

TEST(JournalCodec, AnyEndThatIsMissingMakesItIncomplete) {
  const std::vector<std::byte> good = encode_journal(example());
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
    const std::optional<Journal> journal = decode_journal(base::Bytes(good).first(bytes));
    EXPECT_EQ(journal.has_value(), bytes >= 24) << bytes;
    EXPECT_FALSE(journal && journal->is_complete) << bytes;
  }
}

// Its checksum agrees, and what it says does not.
TEST(JournalCodec, PiecesOutsideOfTheFileOrOutOfOrderAreNothing) {
  Journal overlaps = example(), outside = example(), shrinks = example();
  overlaps.pieces[1].offset = 5;
  outside.pieces[1].offset = 91;
  shrinks.bytes_after = 99;
  for (const Journal& journal : {overlaps, outside, shrinks}) {
    const std::optional<Journal> read = decode_journal(encode_journal(journal));
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->is_complete);
    EXPECT_TRUE(read->pieces.empty());
  }
}

}  // namespace
}  // namespace lq::io
