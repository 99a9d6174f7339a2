// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of sites in another order than in memory, or only some of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <limequat/field.hpp>

namespace lq::kernels {

// Number k of each site in `to`, where sites are contiguous, is number order[k] of the site in `memory`,
// where they are `stride_bytes` apart.
void gather_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* memory,
                    std::ptrdiff_t stride_bytes, std::uint64_t sites, std::byte* to) noexcept;

// The reverse. Numbers that `order` does not name stay as they are.
void scatter_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* from,
                     std::uint64_t sites, std::byte* memory, std::ptrdiff_t stride_bytes) noexcept;

// The third row of each of `matrices` SU(3) matrices, contiguous: conj(row 0 x row 1), in their precision.
void rebuild_third_rows(Precision precision, std::byte* matrices_at, std::uint64_t matrices) noexcept;

// The second column of each of `matrices` SU(2) matrices, contiguous: (-conj(c), conj(a)) of the first (a,
// c).
void rebuild_second_columns(Precision precision, std::byte* matrices_at, std::uint64_t matrices) noexcept;

}  // namespace lq::kernels
