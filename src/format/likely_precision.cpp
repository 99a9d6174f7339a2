// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/likely_precision.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "base/bytes.hpp"

namespace lq::format {
namespace {

constexpr float huge = 1e10F, tiny = 1e-20F;
constexpr std::uint32_t last_digits = 0xfff;
constexpr std::size_t looked_at = 4096;

// Words of one half of what would be doubles.
struct Words {
  std::uint64_t number = 0, huge_ones = 0, odd_ones = 0;  // other than zero

  void add(std::uint32_t word) noexcept {
    if (word << 1 == 0) return;
    const float value = std::bit_cast<float>(word);
    ++number;
    huge_ones += std::abs(value) < huge ? 0 : 1;
    odd_ones += std::abs(value) < tiny || (word & last_digits) == 0 ? 1 : 0;
  }
  bool has_huge_ones(double share) const noexcept {
    return static_cast<double>(huge_ones) > share * static_cast<double>(number);
  }
};

}  // namespace

std::optional<Precision> likely_precision(base::ByteSource& file, std::uint64_t offset, std::uint64_t length,
                                          ByteOrder order) {
  constexpr std::uint64_t least_number = 16;
  constexpr double many = 0.15, few = 0.01;
  Words high, low;
  std::array<std::byte, looked_at> sample{};
  for (const std::uint64_t part : {0U, 1U, 2U}) {
    const std::uint64_t begin = length / 3 * part / 8 * 8;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(sample.size(), length - begin));
    const base::Bytes held =
        base::Bytes(sample).first(file.read_at(offset + begin, base::MutableBytes(sample).first(wanted)));
    for (std::size_t at = 0; at + 8 <= held.size(); at += 8) {
      const std::byte* const place = held.data() + at;
      const std::uint64_t pair =
          order == ByteOrder::big ? base::load_be<std::uint64_t>(place) : base::load_le<std::uint64_t>(place);
      high.add(static_cast<std::uint32_t>(pair >> 32));
      low.add(static_cast<std::uint32_t>(pair));
    }
  }
  if (low.number < least_number || high.number < least_number || high.has_huge_ones(few)) return std::nullopt;
  if (low.has_huge_ones(many)) return Precision::double_;
  // Tiny or round numbers tell nothing: last digits of doubles with short fractions look so.
  const bool has_odd_ones = static_cast<double>(low.odd_ones) > many * static_cast<double>(low.number);
  return low.has_huge_ones(few) || has_odd_ones ? std::nullopt : std::optional(Precision::single);
}

}  // namespace lq::format
