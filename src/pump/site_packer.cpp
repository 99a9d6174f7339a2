// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See site_packer.hpp. The fused loops take sites of one slice at a time, for each slice has its own sum.
#include "pump/site_packer.hpp"

#include "kernels/fused.hpp"
#include "pump/block.hpp"

namespace lq::pump {

SitePacker::SitePacker(const Payload& payload, Precision memory, bool checksum)
    : form_(form_of(payload, memory)),
      site_bytes_(payload.spec.site_bytes()),
      memory_bytes_(static_cast<std::int64_t>(payload.spec.numbers * (memory == Precision::single ? 4 : 8))) {
  if (checksum) crc_.emplace(site_bytes_);
}

void SitePacker::pack(const std::byte* memory, std::ptrdiff_t stride, const Run& run, std::byte* file, SliceSums& sums,
                      std::uint64_t counted_from) const {
  const std::uint64_t plain = !crc_                          ? run.sites
                              : counted_from > run.file_site ? std::min(counted_from - run.file_site, run.sites)
                                                             : 0;
  if (plain > 0) kernels::pack_sites(form_, memory, stride, plain, file);
  if (plain == run.sites) return;
  sums.for_each_slice(
      run.file_site + plain, run.sites - plain, [&](Checksum& sum, std::uint64_t skip, std::uint64_t n) {
        skip += plain;
        kernels::pack_and_sum(form_, *crc_, memory + static_cast<std::ptrdiff_t>(skip) * stride, stride, n,
                              file + skip * site_bytes_, run.site_rank + skip * run.rank_stride, run.rank_stride, sum);
      });
}

void SitePacker::unpack(const std::byte* file, const Run& run, std::byte* memory, std::ptrdiff_t stride,
                        SliceSums& sums) const {
  if (!crc_) return kernels::unpack_sites(form_, file, run.sites, memory, stride);
  sums.for_each_slice(run.file_site, run.sites, [&](Checksum& sum, std::uint64_t skip, std::uint64_t n) {
    kernels::unpack_and_sum(form_, *crc_, file + skip * site_bytes_, n,
                            memory + static_cast<std::ptrdiff_t>(skip) * stride, stride,
                            run.site_rank + skip * run.rank_stride, run.rank_stride, sum);
  });
}

void SitePacker::turn(std::byte* sites, const Run& run, SliceSums& sums) const {
  if (!crc_) return kernels::turn_sites(form_, sites, run.sites);
  sums.for_each_slice(run.file_site, run.sites, [&](Checksum& sum, std::uint64_t skip, std::uint64_t n) {
    kernels::turn_and_sum(form_, *crc_, sites + skip * site_bytes_, n, run.site_rank + skip * run.rank_stride,
                          run.rank_stride, sum);
  });
}

void SitePacker::sum(base::Bytes sites, const Run& run, SliceSums& sums) const {
  if (!crc_) return;
  sums.for_each_slice(run.file_site, run.sites, [&](Checksum& sum, std::uint64_t skip, std::uint64_t n) {
    kernels::add_sites(
        sum, sites.subspan(static_cast<std::size_t>(skip * site_bytes_), static_cast<std::size_t>(n * site_bytes_)),
        *crc_, run.site_rank + skip * run.rank_stride, run.rank_stride);
  });
}

}  // namespace lq::pump
