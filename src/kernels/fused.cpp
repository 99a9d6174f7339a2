// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps of a few sites, so that a step's bytes are still in the first cache level when they are summed.
#include "kernels/fused.hpp"

#include <algorithm>
#include <array>

namespace lq::kernels {
namespace {

constexpr std::uint64_t max_step_sites = 64;
constexpr std::uint64_t step_bytes = 8192;

std::uint64_t sites_per_step(const SiteCrc& crc) noexcept {
  return std::clamp<std::uint64_t>(step_bytes / std::max<std::uint64_t>(crc.site_bytes(), 1), 1, max_step_sites);
}

// Where a call stands: the CRCs of a step go in, the sum comes out.
class Summing {
 public:
  Summing(std::uint64_t first_rank, std::uint64_t rank_stride, Checksum& sum) noexcept
      : rank_(first_rank), stride_(rank_stride), sum_(sum) {}

  void add(const SiteCrc& crc, const std::byte* file, std::uint64_t sites) noexcept {
    std::array<std::uint32_t, max_step_sites> crcs;
    crc.of_sites(file, static_cast<std::ptrdiff_t>(crc.site_bytes()), static_cast<std::size_t>(sites), crcs.data());
    for (std::uint64_t k = 0; k < sites; ++k, rank_ += stride_) add_site(sum_, rank_, crcs[k]);
  }

 private:
  std::uint64_t rank_, stride_;
  Checksum& sum_;
};

}  // namespace

void pack_and_sum(const SiteForm& form, const SiteCrc& crc, const std::byte* memory, std::ptrdiff_t stride_bytes,
                  std::uint64_t sites, std::byte* file, std::uint64_t first_rank, std::uint64_t rank_stride,
                  Checksum& sum) noexcept {
  Summing summing(first_rank, rank_stride, sum);
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t step = std::min(sites_per_step(crc), sites - done);
    std::byte* to = file + done * crc.site_bytes();
    pack_sites(form, memory + static_cast<std::ptrdiff_t>(done) * stride_bytes, stride_bytes, step, to);
    summing.add(crc, to, step);
    done += step;
  }
}

void unpack_and_sum(const SiteForm& form, const SiteCrc& crc, const std::byte* file, std::uint64_t sites,
                    std::byte* memory, std::ptrdiff_t stride_bytes, std::uint64_t first_rank, std::uint64_t rank_stride,
                    Checksum& sum) noexcept {
  Summing summing(first_rank, rank_stride, sum);
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t step = std::min(sites_per_step(crc), sites - done);
    const std::byte* from = file + done * crc.site_bytes();
    summing.add(crc, from, step);
    unpack_sites(form, from, step, memory + static_cast<std::ptrdiff_t>(done) * stride_bytes, stride_bytes);
    done += step;
  }
}

void turn_and_sum(const SiteForm& form, const SiteCrc& crc, std::byte* sites_at, std::uint64_t sites,
                  std::uint64_t first_rank, std::uint64_t rank_stride, Checksum& sum) noexcept {
  Summing summing(first_rank, rank_stride, sum);
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t step = std::min(sites_per_step(crc), sites - done);
    std::byte* at = sites_at + done * crc.site_bytes();
    summing.add(crc, at, step);
    turn_sites(form, at, step);
    done += step;
  }
}

void add_sites(Checksum& sum, base::Bytes bytes, const SiteCrc& crc, std::uint64_t first_rank,
               std::uint64_t rank_stride) noexcept {
  if (crc.site_bytes() == 0) return;
  Summing summing(first_rank, rank_stride, sum);
  const std::uint64_t sites = bytes.size() / crc.site_bytes();
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t step = std::min(sites_per_step(crc), sites - done);
    summing.add(crc, bytes.data() + done * crc.site_bytes(), step);
    done += step;
  }
}

}  // namespace lq::kernels
