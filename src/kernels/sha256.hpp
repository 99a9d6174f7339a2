// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// SHA-256 (FIPS 180-4) of data that come in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::kernels {

// The compression function of SHA-256, in plain C++ and with the instructions that processors have for it.

// Adds contiguous blocks of 64 bytes to the eight words of the state.
using Sha256Compression = void (*)(std::uint32_t* state, const std::byte* blocks, std::size_t count);

void compress_sha256_portable(std::uint32_t* state, const std::byte* blocks, std::size_t count) noexcept;
// nullptr: this processor has no SHA-256 instructions.
Sha256Compression sha256_instructions() noexcept;
// The faster one; the portable one if LQ_FORCE_ISA selects it.
Sha256Compression sha256_compression() noexcept;

class LQ_INNER Sha256 {
 public:
  using Words = std::array<std::uint32_t, 8>;

  void add(base::Bytes bytes) noexcept;
  // The digest, most significant word first. Nothing may be added afterwards.
  Words finish() noexcept;

 private:
  Words state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};
  std::uint64_t bytes_ = 0;  // added so far
};

}  // namespace lq::kernels
