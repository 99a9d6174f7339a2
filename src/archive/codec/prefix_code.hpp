// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Codes of Huffman's kind for symbols of one byte, of eleven bits at most; canonical, so that lengths say it all
// (formats/squeezed.md 5.3).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "archive/codec/words.hpp"
#include "base/bytes.hpp"

namespace lq::archive {

// Bits in a sequence of bytes, the lowest of each byte first; whatever is read after the end is zero.

inline std::uint64_t load(const std::byte* from) noexcept { return load_word<std::uint64_t, false>(from); }
inline void store(std::uint64_t value, std::byte* to) noexcept { store_word<std::uint64_t, false>(to, value); }

// Of 64 bits this many low ones, at most 63.
constexpr std::uint64_t low_bits(std::uint64_t value, unsigned count) noexcept {
  return value & ((std::uint64_t{1} << count) - 1);
}

class BitWriter {
 public:
  BitWriter() = default;
  // About the given number of bits will come.
  explicit BitWriter(std::size_t bits) : bytes_(bits / 8 + 16) {}

  // Where the next bits go, for loops that keep it in registers; there is room for what was asked for.
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
    std::uint64_t held_ = 0;  // the bits after the last whole byte
    unsigned used_ = 0;       // how many: less than eight
  };

  // Room for the given number of bits more; end() follows.
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
  std::vector<std::byte> take() {
    bytes_.resize(filled_ + (at_.used_ > 0 ? 1 : 0));
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

  // At least 57 bits from here on.
  std::uint64_t peek() const noexcept {
    const std::uint64_t at = position_ >> 3;
    if (at + 8 <= size_) return load(bytes_ + at) >> (position_ & 7);
    return peek_near_end(at);
  }
  void skip(unsigned count) noexcept { position_ += count; }
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

// Short codes for what is frequent.
CodeLengths lengths_for(const Counts& counts);

void write_lengths(const CodeLengths& lengths, std::vector<std::byte>& to);
// Takes them off the front of `from`. malformed: too few bytes, or no prefix code has such lengths.
CodeLengths read_lengths(base::Bytes& from);

class PrefixEncoder {
 public:
  explicit PrefixEncoder(const CodeLengths& lengths) noexcept;
  template <class Writer>
  void put(Writer& to, std::uint8_t symbol) const {
    to.put(codes_[symbol], lengths_[symbol]);
  }

 private:
  CodeLengths lengths_;
  std::array<std::uint16_t, 256> codes_{};  // the bit that is written first is the lowest
};

class PrefixDecoder {
 public:
  explicit PrefixDecoder(const CodeLengths& lengths) noexcept;
  // Symbol in the low byte, bits taken above it; of bits that are no code zero, of one bit.
  std::uint32_t look_up(std::uint64_t bits) const noexcept { return table_[bits & (table_.size() - 1)]; }

 private:
  std::array<std::uint16_t, std::size_t{1} << longest_code> table_;
};

}  // namespace lq::archive
