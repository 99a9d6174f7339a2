// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 without a library: in plain C++, of sites of one length, and of long data by the same loops.
#include "kernels/site_crc.hpp"

#include <algorithm>

#include "kernels/crc32.hpp"

namespace lq::kernels {

// CRC-32 in plain C++, sixteen bytes per step: tables[k][b] is the remainder of byte b followed by k zero bytes.

namespace {

constexpr std::size_t bytes_at_once = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, bytes_at_once>;

constexpr Tables make_tables() {
  constexpr std::uint32_t zlib_polynomial = 0xedb88320;  // bits reflected
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? zlib_polynomial : 0);
    tables[0][byte] = remainder;
  }
  for (std::size_t k = 1; k < bytes_at_once; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

std::uint32_t add_byte(std::uint32_t remainder, std::byte byte) noexcept {
  return (remainder >> 8) ^ tables[0][(remainder ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
}

// The remainder of four bytes followed by `zeros` zero bytes.
template <std::size_t zeros>
std::uint32_t fold(std::uint32_t word) noexcept {
  return tables[zeros + 3][word & 0xff] ^ tables[zeros + 2][(word >> 8) & 0xff] ^
         tables[zeros + 1][(word >> 16) & 0xff] ^ tables[zeros][word >> 24];
}

}  // namespace

std::uint32_t crc32_portable(std::uint32_t crc, base::Bytes bytes) noexcept {
  std::uint32_t remainder = ~crc;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= bytes_at_once; p += bytes_at_once, left -= bytes_at_once) {
    remainder = fold<12>(remainder ^ base::load_le<std::uint32_t>(p)) ^ fold<8>(base::load_le<std::uint32_t>(p + 4)) ^
                fold<4>(base::load_le<std::uint32_t>(p + 8)) ^ fold<0>(base::load_le<std::uint32_t>(p + 12));
  }
  for (; left > 0; ++p, --left) remainder = add_byte(remainder, *p);
  return ~remainder;
}

namespace {

// Longer tables would push the sites out of the first cache level.
constexpr std::uint64_t max_dot_product_bytes = 16384;

// The remainder times x^(8 bytes), for at most a lane: the effect of appending zeros on a CRC, without its inversions.
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
