// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Converts sites between memory form (native byte order, the user's precision, any stride) and file form (given byte
// order and precision, contiguous), with checksums in the same pass over memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <limequat/field.hpp>

#include "base/bytes.hpp"
#include "kernels/digest.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/isa/loops.hpp"
#include "kernels/site_crc.hpp"

namespace lq::kernels {

// Converts runs of numbers between precisions and byte orders: the inner loop of packing, one per instruction set. All
// give bit-identical results.

// A number's type, and whether its byte order differs from the host's.
struct NumberForm {
  Precision precision = Precision::double_;
  bool swap = false;
};

// 0 and 1, the indices of the arrays of isa::Loops.
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
  bool swap = true;  // the byte order of the file differs from the host's
};

// Copies `sites` sites from `memory` (sites `stride_bytes` apart, may be negative) to `file` (contiguous).
// double -> single rounds to nearest. The buffers do not overlap; `file` needs no alignment.
void pack_sites(const SiteForm& form, const std::byte* memory, std::ptrdiff_t stride_bytes, std::uint64_t sites,
                std::byte* file) noexcept;

// The reverse.
void unpack_sites(const SiteForm& form, const std::byte* file, std::uint64_t sites, std::byte* memory,
                  std::ptrdiff_t stride_bytes) noexcept;

// Converts contiguous sites between memory form and file form in place; the form has one precision for both.
void turn_sites(const SiteForm& form, std::byte* sites_at, std::uint64_t sites) noexcept;

// Copies into memory that will not be read soon. Ordinary stores fetch the cache line first, which costs as much as the
// stores themselves; writing whole lines avoids that.

// The loops are null if that is impossible or was slower than ordinary stores.
inline const isa::AroundCaches& around_caches() noexcept { return loops_of(active_instruction_set()).around; }

// Packing and unpacking with checksums in the same pass over memory, for single sites and for described memory.

// pack_sites; also adds the sites to `sum`.
void pack_and_sum(const SiteForm& form, const SiteCrc& crc, const std::byte* memory, std::ptrdiff_t stride_bytes,
                  std::uint64_t sites, std::byte* file, std::uint64_t first_rank, std::uint64_t rank_stride,
                  Checksum& sum, WeightedSum* weighted = nullptr, isa::PrefetchPlan* coming = nullptr) noexcept;

// unpack_sites; also adds the sites to `sum`.
void unpack_and_sum(const SiteForm& form, const SiteCrc& crc, const std::byte* file, std::uint64_t sites,
                    std::byte* memory, std::ptrdiff_t stride_bytes, std::uint64_t first_rank, std::uint64_t rank_stride,
                    Checksum& sum, WeightedSum* weighted = nullptr, isa::PrefetchPlan* coming = nullptr) noexcept;

// turn_sites from file form to memory form; also adds the sites to `sum`.
void turn_and_sum(const SiteForm& form, const SiteCrc& crc, std::byte* sites_at, std::uint64_t sites,
                  std::uint64_t first_rank, std::uint64_t rank_stride, Checksum& sum,
                  WeightedSum* weighted = nullptr) noexcept;

// Adds sites that are contiguous in file form; bytes after the last whole site are ignored.
void add_sites(Checksum& sum, base::Bytes bytes, const SiteCrc& crc, std::uint64_t first_rank,
               std::uint64_t rank_stride, WeightedSum* weighted = nullptr) noexcept;

// Adds sites whose CRC-32s are known.
void add_crcs(Checksum& sum, std::span<const std::uint32_t> crcs, std::uint64_t first_rank, std::uint64_t rank_stride,
              WeightedSum* weighted = nullptr) noexcept;

// Sites of described memory moved to file form or back, stripe by stripe, with the CRC-32 of each site (of its bytes in
// file form) in the same pass. Nothing here allocates.

using isa::Stripe;

// True if there are loops for it; the stripes must satisfy the conditions of StripeRun.
bool has_stripe_loops(const SiteForm& form, const SiteCrc& crc) noexcept;

// The size of the stripes if it is 8 or 16 bytes for all and they are contiguous in the site; else 0.
std::size_t equal_pieces(std::span<const Stripe> stripes) noexcept;

// `pieces`: the result of equal_pieces().
void take_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept;
void give_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept;

}  // namespace lq::kernels
