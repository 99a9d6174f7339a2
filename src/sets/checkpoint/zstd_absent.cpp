// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where there is no libzstd.
#include "sets/checkpoint/compression.hpp"

namespace lq::sets {

std::unique_ptr<Compressor> make_zstd_compressor(int) { return nullptr; }
std::unique_ptr<Decompressor> make_zstd_decompressor() { return nullptr; }

}  // namespace lq::sets
