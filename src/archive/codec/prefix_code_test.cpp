// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/codec/prefix_code.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <span>
#include <vector>

#include <limequat/error.hpp>

namespace lq::archive {
namespace {

// Sum of 2^-length over all codes, in units of the shortest possible one.
std::uint32_t taken(const CodeLengths& lengths) {
  std::uint32_t sum = 0;
  for (const std::uint8_t length : lengths) sum += length == 0 ? 0U : (1U << longest_code) >> length;
  return sum;
}

std::vector<std::uint8_t> round_trip(const std::vector<std::uint8_t>& symbols, const CodeLengths& lengths) {
  BitWriter to;
  const PrefixEncoder encoder(lengths);
  for (const std::uint8_t symbol : symbols) encoder.put(to, symbol);
  const std::vector<std::byte> bytes = to.take();
  const PrefixDecoder decoder(lengths);
  BitReader from(bytes);
  std::vector<std::uint8_t> back;
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    const std::uint32_t entry = decoder.look_up(from.peek());
    from.skip(entry >> 8);
    back.push_back(static_cast<std::uint8_t>(entry));
  }
  EXPECT_FALSE(from.is_past_end());
  return back;
}

// The same by runs.
std::vector<std::uint8_t> round_trip_of_runs(const std::vector<std::uint8_t>& symbols, const CodeLengths& lengths) {
  const PrefixEncoder encoder(lengths);
  BitWriter to;
  std::array<std::size_t, runs + 1> ends{};
  for (std::size_t run = 0; run < runs; ++run) {
    const Run part = run_of(symbols.size(), run);
    encoder.put_all(to, std::span(symbols).subspan(part.begin, part.end - part.begin));
    to.fill_byte();
    ends[run + 1] = to.bytes();
  }
  const std::vector<std::byte> bytes = to.take();
  std::array<base::Bytes, runs> from;
  for (std::size_t run = 0; run < runs; ++run)
    from[run] = base::Bytes(bytes).subspan(ends[run], ends[run + 1] - ends[run]);
  std::vector<std::uint8_t> back(symbols.size());
  EXPECT_TRUE(PrefixDecoder(lengths).take_all(from, back));
  if (!from[0].empty()) {
    from[0] = from[0].first(from[0].size() - 1);
    std::vector<std::uint8_t> shorter(symbols.size());
    EXPECT_FALSE(PrefixDecoder(lengths).take_all(from, shorter)) << "a stream without its last byte";
  }
  return back;
}

// Every symbol in one run, and nothing twice.
TEST(PrefixCode, RunsCoverEverySymbolOnce) {
  for (std::size_t symbols = 0; symbols < 40; ++symbols) {
    std::size_t end = 0;
    for (std::size_t run = 0; run < runs; ++run) {
      EXPECT_EQ(run_of(symbols, run).begin, end);
      EXPECT_LE(run_of(symbols, run).end - end, (symbols + runs - 1) / runs);
      end = run_of(symbols, run).end;
    }
    EXPECT_EQ(end, symbols);
  }
}

TEST(PrefixCode, RunsOfAnyLengthComeBack) {
  std::mt19937 random(8);
  for (std::size_t count = 0; count < 300; ++count) {
    std::geometric_distribution<int> draw(count % 3 == 0 ? 0.5 : 0.02);
    std::vector<std::uint8_t> symbols(count);
    for (std::uint8_t& symbol : symbols) symbol = static_cast<std::uint8_t>(draw(random));
    EXPECT_EQ(round_trip_of_runs(symbols, lengths_for(counts_of(symbols))), symbols) << count;
  }
}

TEST(PrefixCode, CountsAreThoseOfAPlainLoop) {
  std::mt19937 random(9);
  for (const std::size_t size : {0U, 1U, 3U, 4U, 1001U}) {
    std::vector<std::uint8_t> symbols(size);
    Counts expected{};
    for (std::uint8_t& symbol : symbols) ++expected[symbol = static_cast<std::uint8_t>(random() % 7)];
    EXPECT_EQ(counts_of(symbols), expected);
  }
}

TEST(PrefixCode, SymbolsOfAnyFrequencyComeBack) {
  std::mt19937 random(7);
  for (const double decay : {0.5, 0.05, 0.001}) {
    std::geometric_distribution<int> draw(decay);
    std::vector<std::uint8_t> symbols(20000);
    for (std::uint8_t& symbol : symbols) symbol = static_cast<std::uint8_t>(draw(random));
    const CodeLengths lengths = lengths_for(counts_of(symbols));
    EXPECT_LE(taken(lengths), 1U << longest_code);
    EXPECT_EQ(round_trip(symbols, lengths), symbols);
  }
}

// Frequencies of 1/2, 1/4, 1/8, 1/8 have codes of 1, 2, 3, 3 bits; no others are shorter together.
TEST(PrefixCode, PowersOfTwoGetTheirExactLengths) {
  Counts counts{};
  counts[9] = 400;
  counts[3] = 200;
  counts[200] = 100;
  counts[201] = 100;
  const CodeLengths lengths = lengths_for(counts);
  EXPECT_EQ(lengths[9], 1);
  EXPECT_EQ(lengths[3], 2);
  EXPECT_EQ(lengths[200], 3);
  EXPECT_EQ(lengths[201], 3);
}

// Numbers of Fibonacci make the deepest of trees: of depth 29 here.
TEST(PrefixCode, NoCodeIsLongerThanEleven) {
  Counts counts{};
  std::uint32_t a = 1, b = 1;
  std::vector<std::uint8_t> symbols;
  for (std::size_t k = 0; k < 30; ++k) {
    counts[k] = a;
    symbols.push_back(static_cast<std::uint8_t>(k));
    const std::uint32_t next = a + b;
    a = b;
    b = next;
  }
  const CodeLengths lengths = lengths_for(counts);
  for (std::size_t k = 0; k < 30; ++k) EXPECT_LE(lengths[k], longest_code);
  EXPECT_EQ(taken(lengths), 1U << longest_code);
  EXPECT_EQ(round_trip(symbols, lengths), symbols);
}

TEST(PrefixCode, OneSymbolAndNone) {
  EXPECT_EQ(only_symbol_of(lengths_for(counts_of(std::vector<std::uint8_t>{200, 200}))), 200);
  EXPECT_EQ(only_symbol_of(lengths_for(counts_of(std::vector<std::uint8_t>{0}))), 0);
  EXPECT_EQ(only_symbol_of(lengths_for(counts_of(std::vector<std::uint8_t>{1, 2}))), std::nullopt);
  EXPECT_EQ(only_symbol_of(lengths_for({})), std::nullopt);
  EXPECT_EQ(round_trip({5, 5, 5}, lengths_for(counts_of(std::vector<std::uint8_t>{5, 5, 5}))),
            (std::vector<std::uint8_t>{5, 5, 5}));
  EXPECT_EQ(taken(lengths_for({})), 0U);
}

TEST(PrefixCode, LengthsComeBackAndWrongOnesAreRefused) {
  const CodeLengths lengths = lengths_for(counts_of(std::vector<std::uint8_t>{1, 1, 1, 2, 2, 77, 255}));
  std::vector<std::byte> bytes;
  write_lengths(lengths, bytes);
  EXPECT_EQ(bytes.size(), 32U + 2U);
  base::Bytes rest = bytes;
  EXPECT_EQ(read_lengths(rest), lengths);
  EXPECT_TRUE(rest.empty());

  base::Bytes cut = base::Bytes(bytes).first(33);
  EXPECT_THROW((void)read_lengths(cut), Error);
  bytes[32] = std::byte{0x11};  // three codes of one bit
  bytes[33] = std::byte{0x11};
  base::Bytes wrong = bytes;
  EXPECT_THROW((void)read_lengths(wrong), Error);
  // One symbol, of a length that no code has; wherever it is, there is room left for it.
  for (const unsigned length : {0U, 12U, 15U}) {
    std::vector<std::byte> one(33);
    one[31] = std::byte{0x80};
    one[32] = static_cast<std::byte>(length);
    base::Bytes of_one = one;
    EXPECT_THROW((void)read_lengths(of_one), Error) << length;
  }
}

}  // namespace
}  // namespace lq::archive
