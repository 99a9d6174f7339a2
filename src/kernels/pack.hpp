// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites between memory form (native byte order, the user's precision, any stride) and file form (given byte order and
// precision, one site after the other), with checksums in the same pass over memory.
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

// Packing and unpacking with checksums in the same pass over memory, of sites one by one and of described memory.

// pack_sites, and adds the sites to `sum`.
void pack_and_sum(const SiteForm& form, const SiteCrc& crc, const std::byte* memory, std::ptrdiff_t stride_bytes,
                  std::uint64_t sites, std::byte* file, std::uint64_t first_rank, std::uint64_t rank_stride,
                  Checksum& sum, WeightedSum* weighted = nullptr, isa::Coming* coming = nullptr) noexcept;

// unpack_sites, and adds the sites to `sum`.
void unpack_and_sum(const SiteForm& form, const SiteCrc& crc, const std::byte* file, std::uint64_t sites,
                    std::byte* memory, std::ptrdiff_t stride_bytes, std::uint64_t first_rank, std::uint64_t rank_stride,
                    Checksum& sum, WeightedSum* weighted = nullptr, isa::Coming* coming = nullptr) noexcept;

// turn_sites from file form to memory form, and adds the sites to `sum`.
void turn_and_sum(const SiteForm& form, const SiteCrc& crc, std::byte* sites_at, std::uint64_t sites,
                  std::uint64_t first_rank, std::uint64_t rank_stride, Checksum& sum,
                  WeightedSum* weighted = nullptr) noexcept;

// Adds sites that are contiguous in file form; bytes beyond the last whole site are left out.
void add_sites(Checksum& sum, base::Bytes bytes, const SiteCrc& crc, std::uint64_t first_rank,
               std::uint64_t rank_stride, WeightedSum* weighted = nullptr) noexcept;

// Adds sites whose CRC-32 are known.
void add_crcs(Checksum& sum, std::span<const std::uint32_t> crcs, std::uint64_t first_rank, std::uint64_t rank_stride,
              WeightedSum* weighted = nullptr) noexcept;

// Sites of described memory moved to file form or back, stripe by stripe, with the CRC-32 of each site (that of the
// bytes in file form) in the same pass. Nothing here allocates.

using isa::Stripe;

// Whether there are loops for it; the stripes have to be as StripeRun says.
bool has_stripe_loops(const SiteForm& form, const SiteCrc& crc) noexcept;

// The bytes of each stripe where these are 8 or 16 for all, and they follow one another in the site; else 0.
std::size_t equal_pieces(std::span<const Stripe> stripes) noexcept;

// `pieces` as equal_pieces() answers.
void take_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept;
void give_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept;

}  // namespace lq::kernels
