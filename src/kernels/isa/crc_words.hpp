// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 by the instructions of ARMv8 (CRC32X and its narrower variants), which have the required polynomial. Each file
// that includes this compiles it for its own instruction set, hence the unnamed namespace.
#pragma once

#include <arm_acle.h>

#include <cstring>

#include "kernels/isa/loops.hpp"

namespace lq::kernels::isa {
namespace {

template <class Word>
Word load_word(const std::byte* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// `remainder` is inverted neither before nor after.
[[maybe_unused]] std::uint32_t add_bytes(std::uint32_t remainder, const std::byte* from, std::size_t bytes) noexcept {
  for (; bytes > 0; --bytes, ++from) remainder = __crc32b(remainder, load_word<std::uint8_t>(from));
  return remainder;
}

[[maybe_unused]] std::uint32_t stream_crc32(std::uint32_t crc, const std::byte* from, std::size_t bytes) noexcept {
  std::uint32_t remainder = ~crc;
  for (; bytes >= 8; bytes -= 8, from += 8) remainder = __crc32d(remainder, load_word<std::uint64_t>(from));
  return ~add_bytes(remainder, from, bytes);
}

}  // namespace
}  // namespace lq::kernels::isa
