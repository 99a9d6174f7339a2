// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checksum and zero scan of sites in file form.
#include "kernels/digest.hpp"

#include <cstring>

#include "kernels/crc32.hpp"
#include "kernels/dispatch.hpp"

namespace lq::kernels {
namespace {

// Every byte equals the one before it, and the first is zero; memcmp stops at the first that differs.
bool is_zero(const std::byte* site, std::size_t bytes) noexcept {
  return site[0] == std::byte{0} && std::memcmp(site, site + 1, bytes - 1) == 0;
}

}  // namespace

void add_sites(Checksum& sum, base::Bytes bytes, std::uint64_t site_bytes, std::uint64_t first_rank,
               std::uint64_t rank_stride) noexcept {
  if (site_bytes == 0) return;
  std::uint64_t rank = first_rank;
  for (std::size_t at = 0; bytes.size() - at >= site_bytes; at += site_bytes, rank += rank_stride) {
    add_site(sum, rank, crc32(0, bytes.subspan(at, site_bytes)));
  }
}

ZeroSites find_zero_sites(base::Bytes bytes, std::uint64_t site_bytes) noexcept {
  ZeroSites zeros;
  if (site_bytes == 0) return zeros;
  const std::uint64_t sites = bytes.size() / site_bytes;
  for (std::uint64_t site = 0; site < sites; ++site) {
    if (!is_zero(bytes.data() + site * site_bytes, site_bytes)) continue;
    if (zeros.count == 0) zeros.first = site;
    zeros.last = site;
    ++zeros.count;
  }
  return zeros;
}

std::uint64_t first_beyond(base::Bytes bytes, const SiteNumbers& form, std::uint64_t first, double least,
                           double most) noexcept {
  const std::uint64_t site_bytes = form.numbers * form.number_bytes;
  if (site_bytes == 0) return 0;
  const std::uint64_t sites = bytes.size() / site_bytes;
  if (first >= sites) return sites;
  const bool is_swapped = form.big_endian == (std::endian::native == std::endian::little);
  const auto& loops = loops_of(active_instruction_set()).first_beyond[form.number_bytes == sizeof(float) ? 0 : 1];
  return first + loops[is_swapped ? 1 : 0](bytes.data() + first * site_bytes, static_cast<std::size_t>(form.numbers),
                                           static_cast<std::size_t>(sites - first), least, most);
}

}  // namespace lq::kernels
