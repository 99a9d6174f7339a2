// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packing and unpacking with checksums in the same pass over memory, of sites one by one and of described memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "kernels/digest.hpp"
#include "kernels/isa/loops.hpp"
#include "kernels/pack.hpp"
#include "kernels/site_crc.hpp"

namespace lq::kernels {

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
