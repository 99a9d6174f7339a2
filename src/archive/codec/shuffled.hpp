// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of any kind: the first bytes of all of them, then the second ones, and so on, compressed by zstd.
#pragma once

#include <vector>

#include "base/bytes.hpp"

namespace lq::archive {

// Empty: this build has no zstd, or the bytes are no whole numbers.
std::vector<std::byte> shuffle_and_compress(base::Bytes numbers, std::size_t bytes_each);
// malformed: they do not give the given number of bytes; unsupported: this build has no zstd.
void restore_shuffled(base::Bytes compressed, std::size_t bytes_each, base::MutableBytes numbers);

}  // namespace lq::archive
