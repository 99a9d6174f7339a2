// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Huffman codes for symbols of one byte, of at most eleven bits; canonical, so that the lengths define them
// (formats/squeezed.md 5.3).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "archive/codec/words.hpp"
#include "base/bytes.hpp"

namespace lq::archive {

// Bits in a sequence of bytes, the lowest of each byte first; reads after the end return zero.

inline std::uint64_t load(const std::byte* from) noexcept { return load_word<std::uint64_t, false>(from); }
inline void store(std::uint64_t value, std::byte* to) noexcept { store_word<std::uint64_t, false>(to, value); }

// The `count` low bits of `value`, at most 63.
constexpr std::uint64_t low_bits(std::uint64_t value, unsigned count) noexcept {
  return value & ((std::uint64_t{1} << count) - 1);
}

class BitWriter {
 public:
  BitWriter() = default;
  // `bits`: the approximate total number.
  explicit BitWriter(std::size_t bits) : bytes_(bits / 8 + 16) {}

  // The output position, for loops that keep it in registers; the requested space is available.
  class Cursor {
   public:
    // At most 57 bits; those of `value` above them are zero.
    void put(std::uint64_t value, unsigned count) noexcept {
      held_ |= value << used_;
      used_ += count;
      store(held_, to_);
      to_ += used_ / 8;
      held_ = used_ < 64 ? held_ >> (used_ & ~7U) : 0;
      used_ %= 8;
    }

   private:
    friend class BitWriter;
    std::byte* to_ = nullptr;
    std::uint64_t held_ = 0;  // bits after the last whole byte
    unsigned used_ = 0;       // their number: less than eight
  };

  // Reserves space for the given number of bits; followed by end().
  Cursor begin(std::size_t bits) {
    const std::size_t needed = filled_ + bits / 8 + 16;
    if (bytes_.size() < needed) bytes_.resize(2 * needed);
    Cursor cursor = at_;
    cursor.to_ = &bytes_[filled_];
    return cursor;
  }
  void end(const Cursor& cursor) noexcept {
    filled_ = static_cast<std::size_t>(cursor.to_ - bytes_.data());
    at_ = cursor;
  }
  void put(std::uint64_t value, unsigned count) {
    Cursor cursor = begin(count);
    cursor.put(value, count);
    end(cursor);
  }
  // Pads to a whole byte.
  void fill_byte() noexcept {
    filled_ += at_.used_ > 0 ? 1 : 0;
    at_ = {};
  }
  std::size_t bytes() const noexcept { return filled_ + (at_.used_ > 0 ? 1 : 0); }
  std::vector<std::byte> take() {
    bytes_.resize(bytes());
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t filled_ = 0;  // whole bytes
  Cursor at_;
};

class BitReader {
 public:
  explicit BitReader(base::Bytes bytes) noexcept : bytes_(bytes.data()), size_(bytes.size()) {}

  // At least 57 bits from the current position.
  std::uint64_t peek() const noexcept {
    const std::uint64_t at = position_ >> 3;
    if (at + 8 <= size_) [[likely]]
      return load(bytes_ + at) >> (position_ & 7);
    return peek_near_end(at);
  }
  void skip(std::uint64_t count) noexcept { position_ += count; }
  std::uint64_t take(unsigned count) noexcept {
    const std::uint64_t value = low_bits(peek(), count);
    position_ += count;
    return value;
  }
  bool is_past_end() const noexcept { return position_ > 8 * size_; }

 private:
  std::uint64_t peek_near_end(std::uint64_t at) const noexcept {
    std::byte rest[8]{};
    for (std::uint64_t i = at; i < size_; ++i) rest[i - at] = bytes_[i];
    return load(rest) >> (position_ & 7);
  }

  const std::byte* bytes_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;
};

inline constexpr unsigned longest_code = 11;
using Counts = std::array<std::uint32_t, 256>;
using CodeLengths = std::array<std::uint8_t, 256>;  // 0: the symbol does not occur

// Frequency of each symbol.
Counts counts_of(std::span<const std::uint8_t> symbols);
// Short codes for frequent symbols.
CodeLengths lengths_for(const Counts& counts);

// The only symbol of a code that has just one: its codes need not be written.
std::optional<std::uint8_t> only_symbol_of(const CodeLengths& lengths) noexcept;

void write_lengths(const CodeLengths& lengths, std::vector<std::byte>& to);
// Removes them from the front of `from`. malformed: too few bytes, or lengths of no prefix code.
CodeLengths read_lengths(base::Bytes& from);

// Symbols of one code are divided into this many runs, each a separate stream, so that a processor decodes them in
// parallel: equally many symbols, rounded up; the last runs have fewer, or none.
inline constexpr std::size_t runs = 4;
struct Run {
  std::size_t begin, end;
};
constexpr Run run_of(std::size_t symbols, std::size_t run) noexcept {
  const std::size_t each = (symbols + runs - 1) / runs;
  return {std::min(run * each, symbols), std::min((run + 1) * each, symbols)};
}

class PrefixEncoder {
 public:
  explicit PrefixEncoder(const CodeLengths& lengths) noexcept;
  template <class Writer>
  void put(Writer& to, std::uint8_t symbol) const {
    to.put(entries_[symbol] >> 8, entries_[symbol] & 0xff);
  }
  // All of them as one stream.
  void put_all(BitWriter& to, std::span<const std::uint8_t> symbols) const;

 private:
  std::array<std::uint32_t, 256> entries_{};  // length, and above it the code, first bit lowest
};

class PrefixDecoder {
 public:
  explicit PrefixDecoder(const CodeLengths& lengths) noexcept;
  // Symbol in the low byte, and above it the number of bits; for bits that are not a code, symbol zero of one bit.
  std::uint32_t look_up(std::uint64_t bits) const noexcept { return table_[bits & (table_.size() - 1)]; }
  // Fills `to` with symbols from the streams of their runs. False: a stream is too short.
  bool take_all(const std::array<base::Bytes, runs>& from, std::span<std::uint8_t> to) const noexcept;

 private:
  std::array<std::uint16_t, std::size_t{1} << longest_code> table_;
};

inline void PrefixEncoder::put_all(BitWriter& to, std::span<const std::uint8_t> symbols) const {
  BitWriter::Cursor cursor = to.begin(symbols.size() * longest_code);
  std::size_t i = 0;
  for (; i + 4 <= symbols.size(); i += 4) {
    const std::uint32_t a = entries_[symbols[i]], b = entries_[symbols[i + 1]], c = entries_[symbols[i + 2]],
                        d = entries_[symbols[i + 3]];
    const unsigned first = (a & 0xff) + (b & 0xff), second = (c & 0xff) + (d & 0xff);
    const std::uint64_t low = (a >> 8) | (b >> 8) << (a & 0xff), high = (c >> 8) | (d >> 8) << (c & 0xff);
    cursor.put(low | high << first, first + second);
  }
  for (; i < symbols.size(); ++i) put(cursor, symbols[i]);
  to.end(cursor);
}

inline bool PrefixDecoder::take_all(const std::array<base::Bytes, runs>& from,
                                    std::span<std::uint8_t> to) const noexcept {
  constexpr std::size_t at_once = 5;  // this many codes fit into one peek
  static_assert(at_once * longest_code <= 57 && runs == 4);
  const std::size_t each = run_of(to.size(), 0).end, last = to.size() - run_of(to.size(), runs - 1).begin;
  std::uint64_t position[runs]{};  // in bits
  std::size_t done = 0;
  const auto is_far_from_end = [&](std::size_t run) { return (position[run] >> 3) + 8 <= from[run].size(); };
  while (done + at_once <= last && is_far_from_end(0) && is_far_from_end(1) && is_far_from_end(2) &&
         is_far_from_end(3)) {
    std::uint64_t bits[runs];
    for (std::size_t run = 0; run < runs; ++run) {
      bits[run] = load(from[run].data() + (position[run] >> 3)) >> (position[run] & 7);
    }
    for (std::size_t i = 0; i < at_once; ++i) {
      for (std::size_t run = 0; run < runs; ++run) {
        const std::uint32_t entry = look_up(bits[run]);
        to[run * each + done + i] = static_cast<std::uint8_t>(entry);
        bits[run] >>= entry >> 8;
        position[run] += entry >> 8;
      }
    }
    done += at_once;
  }
  bool is_whole = true;
  for (std::size_t run = 0; run < runs; ++run) {
    BitReader rest(from[run]);
    rest.skip(position[run]);
    const Run all = run_of(to.size(), run);
    for (std::size_t i = all.begin + done; i < all.end; ++i) {
      const std::uint32_t entry = look_up(rest.peek());
      to[i] = static_cast<std::uint8_t>(entry);
      rest.skip(entry >> 8);
    }
    is_whole = is_whole && !rest.is_past_end();
  }
  return is_whole;
}

}  // namespace lq::archive
