// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See site_crc.hpp.
#include "kernels/site_crc.hpp"

#include "kernels/crc32.hpp"

namespace lq::kernels {

SiteCrc::SiteCrc(std::uint64_t site_bytes) : site_bytes_(site_bytes) {}

void SiteCrc::of_sites(const std::byte* first, std::ptrdiff_t stride_bytes, std::size_t sites,
                       std::uint32_t* crcs) const noexcept {
  for (std::size_t k = 0; k < sites; ++k) {
    crcs[k] = crc32(0, {first + static_cast<std::ptrdiff_t>(k) * stride_bytes, static_cast<std::size_t>(site_bytes_)});
  }
}

}  // namespace lq::kernels
