// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 of sites, which all have one length: what can be computed once for that length, before the first site.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lq::kernels {

// Made once per transfer; shared by threads freely, for it never changes.
class SiteCrc {
 public:
  // Any length, 0 too. Throws std::bad_alloc.
  explicit SiteCrc(std::uint64_t site_bytes);

  std::uint64_t site_bytes() const noexcept { return site_bytes_; }

  // The CRC-32 of each of `sites` sites that lie `stride_bytes` apart (may be negative), in file form.
  void of_sites(const std::byte* first, std::ptrdiff_t stride_bytes, std::size_t sites,
                std::uint32_t* crcs) const noexcept;

 private:
  std::uint64_t site_bytes_;
};

}  // namespace lq::kernels
