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

// Takes blocks of 64 bytes that are contiguous into the eight words of the state.
using Sha256Compression = void (*)(std::uint32_t* state, const std::byte* blocks, std::size_t count);

void compress_sha256_portable(std::uint32_t* state, const std::byte* blocks, std::size_t count) noexcept;
// nullptr: this processor has no instructions for it.
Sha256Compression sha256_instructions() noexcept;
// The faster one; the portable one where LQ_FORCE_ISA asks for that.
Sha256Compression sha256_compression() noexcept;

class LQ_INNER Sha256 {
 public:
  using Words = std::array<std::uint32_t, 8>;

  void add(base::Bytes bytes) noexcept;
  // The digest, most significant word first; nothing is added any more.
  Words finish() noexcept;

 private:
  Words state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};
  std::uint64_t bytes_ = 0;  // added so far
};

}  // namespace lq::kernels
