// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites between memory form (native byte order, the user's precision, any stride) and file form (given byte
// order and precision, one site after the other).
#pragma once

#include <cstddef>
#include <cstdint>

#include <limequat/field.hpp>

namespace lq::kernels {

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

}  // namespace lq::kernels
