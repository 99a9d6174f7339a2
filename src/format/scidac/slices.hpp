// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// limequat-slices: the SciDAC checksum and the weighted sum of each slice of the slowest dimension, as text of a length
// that is known before the data are (formats/scidac.md 5.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <limequat/sums.hpp>

namespace lq::format::scidac {

inline constexpr std::uint64_t slices_limit = 1ULL << 20;  // bytes; longer records are not written

// The length of the text for the given number of slices; above slices_limit it is not exact, but above it, too.
std::uint64_t slices_length(std::uint64_t slices) noexcept;
// What the record holds.
inline constexpr SumName slice_checksums{SumKind::scidac, SumOf::slices};
inline constexpr SumName slice_weights{SumKind::weighted, SumOf::slices};
// Both sums, of as many slices each.
std::string encode_slices(const Sums& sums);
// Version 1.0 has the checksums only. Throws Error(malformed).
Sums decode_slices(std::string_view text);

}  // namespace lq::format::scidac
