// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packing and unpacking (pack.hpp) with the SciDAC checksum (digest.hpp) in the same pass over memory. The CRC is
// always that of the bytes in file form. Site k of a call has rank first_rank + k * rank_stride, which stays below
// 2^64. `crc` is for sites of as many bytes as the form has in the file. Each site is added to `weighted`, too, unless
// it is null. Where both sides are in cache, `coming` says what to fetch meanwhile; not all of it need be fetched.
// Nothing here allocates.
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

}  // namespace lq::kernels
