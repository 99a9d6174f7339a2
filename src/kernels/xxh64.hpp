// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// XXH64 with seed 0, as its specification (version 0.1.1) defines it: 64 bits that are independent of a CRC-32, so that
// the two together miss no accidental change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/inner.hpp"
#include "kernels/dispatch.hpp"

namespace lq::kernels {

LQ_INNER std::uint64_t xxh64(base::Bytes bytes) noexcept;

// Of each block of this many bytes, the last of which may be shorter: faster than one after the other.
void xxh64_of_blocks(base::Bytes bytes, std::size_t length, std::span<std::uint64_t> sums,
                     InstructionSet set = active_instruction_set()) noexcept;

}  // namespace lq::kernels
