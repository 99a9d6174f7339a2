// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The constants. Let the site have n bytes, and a 64-bit word begin at byte i. As a polynomial (the first bit of the
// first byte is the highest power) the word stands 8 (n - i - 8) bits above the end, and a CRC multiplies by x^32 in
// addition: the constant of the word is x^(8 (n - i - 8) + 32) mod P. All of this is in reflected bit order, where
// a carry-less product of two registers comes out one bit too high; so the table holds x^(8 (n - i - 8) + 31), in
// the upper half of 64 bits. The initial value of the CRC and its final inversion add the CRC of as many zero bytes.
#include "kernels/site_crc.hpp"

#include <algorithm>
#include <array>

#include "kernels/crc32.hpp"

namespace lq::kernels {
namespace {

// Longer tables would push the sites out of the first cache level.
constexpr std::uint64_t max_dot_product_bytes = 16384;

// The remainder times x^(8 bytes): a lane at most. That is what a CRC becomes of zeros, without its inversions.
std::uint32_t shifted(std::uint32_t remainder, std::size_t bytes) noexcept {
  constexpr std::array<std::byte, 16> zeros{};
  return ~crc32_portable(~remainder, {zeros.data(), bytes});
}

std::uint64_t constant(std::uint32_t remainder) noexcept { return std::uint64_t{remainder} << 32; }

}  // namespace

SiteCrc::SiteCrc(std::uint64_t site_bytes, InstructionSet set)
    : site_bytes_(site_bytes), set_(set), loops_(&loops_of(set)) {
  if (loops_->sum == nullptr || site_bytes == 0 || site_bytes > max_dot_product_bytes) return;
  // Words of whole lanes, then the two words of the lane that ends with the site (isa/site_loops.hpp).
  const auto whole = static_cast<std::size_t>(site_bytes / 16 * 2);
  constants_.resize((whole + 2 + 7) / 8);
  const auto word = [this](std::size_t k) -> std::uint64_t& { return constants_[k / 8].words[k % 8]; };
  constexpr std::uint32_t x_to_the_31 = 1;
  word(whole + 1) = constant(x_to_the_31);
  word(whole) = constant(shifted(x_to_the_31, 8));
  std::uint32_t remainder = shifted(x_to_the_31, static_cast<std::size_t>(site_bytes % 16));
  for (std::size_t k = whole; k-- > 0; remainder = shifted(remainder, 8)) word(k) = constant(remainder);
  const std::vector<std::byte> zeros(static_cast<std::size_t>(site_bytes));
  crc_of_zeros_ = crc32_portable(0, zeros);
}

isa::SiteTable SiteCrc::table() const noexcept {
  return {static_cast<std::size_t>(site_bytes_), is_dot_product() ? constants_.data()->words : nullptr, crc_of_zeros_};
}

void SiteCrc::of_sites(const std::byte* file, std::size_t sites, std::uint32_t* crcs) const noexcept {
  const auto bytes = static_cast<std::size_t>(site_bytes_);
  if (is_dot_product()) {
    const auto stride = static_cast<std::ptrdiff_t>(bytes);
    return loops_->sum(table(), {file, stride, nullptr, 0, sites}, crcs);
  }
  for (std::size_t k = 0; k < sites; ++k) crcs[k] = crc32(0, {file + k * bytes, bytes});
}

LongCrc32::LongCrc32(InstructionSet set) : blocks_(block_bytes, set) {
  const std::array<std::byte, block_bytes> zeros{};
  const std::uint32_t of_zeros = crc32_portable(0, zeros);
  for (std::size_t byte = 0; byte < shift_.size(); ++byte) {
    auto& table = shift_[byte];
    for (std::uint32_t value = 1; value < table.size(); ++value) {
      const std::uint32_t rest = value & (value - 1);
      table[value] =
          rest != 0 ? table[rest] ^ table[value ^ rest] : crc32_portable(value << (8 * byte), zeros) ^ of_zeros;
    }
  }
}

bool LongCrc32::is_worth_it(InstructionSet set) noexcept {
  return set != InstructionSet::portable && set != InstructionSet::pclmul;
}

std::uint32_t LongCrc32::of_blocks(std::uint32_t crc, base::Bytes bytes) const noexcept {
  std::array<std::uint32_t, 16> crcs;
  const std::byte* at = bytes.data();
  for (std::size_t left = bytes.size() / block_bytes; left > 0;) {
    const std::size_t count = std::min(left, crcs.size());
    blocks_.of_sites(at, count, crcs.data());
    for (std::size_t k = 0; k < count; ++k) crc = shifted(crc) ^ crcs[k];
    at += count * block_bytes;
    left -= count;
  }
  return crc;
}

}  // namespace lq::kernels
