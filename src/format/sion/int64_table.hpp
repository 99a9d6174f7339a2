// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of 64-bit integers in a file, read in pieces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_source.hpp"
#include "format/sion/integers.hpp"

namespace lq::format::sion {

// As many of the `count` numbers at `offset` as the file holds; the caller has bounded `count`.
std::vector<std::int64_t> read_int64s(base::ByteSource& file, std::uint64_t offset, std::uint64_t count,
                                      ByteOrder order);
void store_int64s(std::byte* p, std::span<const std::int64_t> numbers, ByteOrder order) noexcept;

}  // namespace lq::format::sion
