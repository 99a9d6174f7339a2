// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// XXH64 with seed 0, as its specification (version 0.1.1) defines it: 64 bits that are independent of a CRC-32, so that
// the two together miss no accidental change.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::kernels {

LQ_INNER std::uint64_t xxh64(base::Bytes bytes) noexcept;

}  // namespace lq::kernels
