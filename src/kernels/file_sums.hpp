// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values of the sums that are not made of the CRC-32 of sites (<limequat/sums.hpp>): of bytes in file form, given their
// place.
#pragma once

#include <cstdint>
#include <span>

#include <limequat/sums.hpp>

#include "base/bytes.hpp"
#include "base/inner.hpp"
#include "kernels/sha256.hpp"

namespace lq::kernels {

// Words of 32 bits in the byte order of the file; bytes after the last whole word are left out.
std::uint32_t sum_of_words(base::Bytes bytes, bool big_endian) noexcept;

// XOR of the words rotated by their number mod 29 (suma) and mod 31 (sumb); the first one has number `first_word`.
Checksum rotated_words(base::Bytes bytes, bool big_endian, std::uint64_t first_word) noexcept;

// XOR of the words.
std::uint32_t xor_of_words(base::Bytes bytes, bool big_endian) noexcept;

// SHA-256 of a site as QLUA takes it: the number of dimensions and the coordinates in 64 bits each, then the numbers,
// everything little-endian; padded: each number followed by as many zero bytes as it needs to have eight.
LQ_INNER Sha256::Words sha256_of_site(base::Bytes site, std::size_t number_bytes, bool big_endian,
                                      std::span<const std::int64_t> coordinates, bool is_padded = false) noexcept;

// What bytes with CRC-32 `crc`, `bytes` of them with `behind` more after them, contribute to the CRC-32 of the whole
// by XOR: all contributions and the CRC-32 of as many zeros as the whole is long give it.
LQ_INNER std::uint32_t crc32_contribution(std::uint32_t crc, std::uint64_t bytes, std::uint64_t behind) noexcept;
// The CRC-32 of so many zero bytes.
std::uint32_t crc32_of_zeros(std::uint64_t bytes) noexcept;

}  // namespace lq::kernels
