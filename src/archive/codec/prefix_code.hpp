// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Codes of Huffman's kind for symbols of one byte, of eleven bits at most; canonical, so that lengths say it all
// (formats/squeezed.md 5.3).
#pragma once

#include <array>
#include <cstdint>

#include "archive/codec/bits.hpp"

namespace lq::archive {

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
