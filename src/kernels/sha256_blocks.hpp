// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The compression function of SHA-256, in plain C++ and with the instructions that processors have for it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lq::kernels {

// Takes blocks of 64 bytes that are contiguous into the eight words of the state.
using Sha256Compression = void (*)(std::uint32_t* state, const std::byte* blocks, std::size_t count);

void compress_sha256_portable(std::uint32_t* state, const std::byte* blocks, std::size_t count) noexcept;
// nullptr: this processor has no instructions for it.
Sha256Compression sha256_instructions() noexcept;
// The faster one; the portable one where LQ_FORCE_ISA asks for that.
Sha256Compression sha256_compression() noexcept;

}  // namespace lq::kernels
