// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// XXH64 with seed 0, as its specification (version 0.1.1) has it: 64 bits that share nothing with a CRC-32, so that
// both together miss no change that data meet by accident.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::kernels {

LQ_INNER std::uint64_t xxh64(base::Bytes bytes) noexcept;

}  // namespace lq::kernels
