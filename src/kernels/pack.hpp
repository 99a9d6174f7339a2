// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites between memory form (native byte order, the user's precision, any stride) and file form (given byte
// order and precision, one site after the other).
#pragma once

#include <cstddef>
#include <cstdint>

#include <limequat/field.hpp>

#include "kernels/dispatch.hpp"

namespace lq::kernels {

// Runs of numbers from one precision and byte order to another: the inner loop of packing, once per instruction
// set. All of them give the same bits.

// A number's type and whether its bytes are in the order that is not the host's.
struct NumberForm {
  Precision precision = Precision::double_;
  bool swap = false;
};

// 0 and 1, as the arrays of isa::Loops count.
constexpr std::size_t index_of(Precision precision) noexcept { return precision == Precision::single ? 0 : 1; }

// At most one of the two sides is swapped.
inline isa::CopyNumbers copy_loop(InstructionSet set, NumberForm from, NumberForm to) noexcept {
  const std::size_t swapped_side = from.swap == to.swap ? 0 : from.swap ? 1 : 2;
  return loops_of(set).copy[index_of(from.precision)][index_of(to.precision)][swapped_side];
}

inline isa::TurnNumbers turn_loop(InstructionSet set, Precision precision) noexcept {
  return loops_of(set).turn[index_of(precision)];
}

struct SiteForm {
  std::uint64_t numbers = 0;  // real numbers per site
  Precision memory = Precision::double_;
  Precision file = Precision::double_;
  bool swap = true;  // the file's byte order is not the host's
};

// Copies `sites` sites from `memory` (sites `stride_bytes` apart, may be negative) to `file` (contiguous).
// double -> single rounds to nearest. The buffers do not overlap; `file` needs no alignment.
void pack_sites(const SiteForm& form, const std::byte* memory, std::ptrdiff_t stride_bytes, std::uint64_t sites,
                std::byte* file) noexcept;

// The reverse.
void unpack_sites(const SiteForm& form, const std::byte* file, std::uint64_t sites, std::byte* memory,
                  std::ptrdiff_t stride_bytes) noexcept;

// Turns sites that are contiguous between memory form and file form where they lie; the form has one
// precision for both.
void turn_sites(const SiteForm& form, std::byte* sites_at, std::uint64_t sites) noexcept;

// Bytes copied into memory that nobody reads soon. Stores fetch the cache line that they go to, which costs as much as
// they do themselves; whole lines can be written without.

// Its loops are null where that is not possible, or was slower than stores are.
inline const isa::AroundCaches& around_caches() noexcept { return loops_of(active_instruction_set()).around; }

}  // namespace lq::kernels
