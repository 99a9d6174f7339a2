// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fused loops process sites of one slice at a time, because each slice has its own sum. Numbers in another order,
// and those in fixed point (words of 32 bits), pass through a buffer of a few sites. Rounding and sums are identical in
// every program, whatever its floating-point settings.
#include "engine/site_packer.hpp"

#include <algorithm>

#include "base/float_environment.hpp"
#include "engine/stepwise_transfer.hpp"
#include "kernels/site_numbers.hpp"

namespace lq::engine {

namespace {

// Amount of a run that is reordered at once: it stays in the first cache level.
constexpr std::uint64_t staged_bytes = 16384;

constexpr std::uint64_t su3_numbers = 18, su2_numbers = 8;

// Number of sites of a run before number `counted_from`.
std::uint64_t sites_before(std::uint64_t counted_from, const Run& run) {
  return counted_from > run.file_site ? std::min(counted_from - run.file_site, run.sites) : 0;
}

}  // namespace

SitePacker::SitePacker(const Payload& payload, Precision memory, const SiteSums& sums)
    : form_(form_of(payload, payload.codec.fixed16 ? Precision::single : memory)),
      codec_(payload.codec),
      memory_(memory),
      numbers_(payload.spec.numbers),
      matrices_(payload.codec.third_rows_missing       ? payload.spec.numbers / su3_numbers
                : payload.codec.second_columns_missing ? payload.spec.numbers / su2_numbers
                                                       : 0),
      site_bytes_(payload.site_bytes()),
      number_bytes_(memory == Precision::single ? 4 : 8),
      memory_bytes_(static_cast<std::int64_t>(payload.spec.numbers * number_bytes_)) {
  if (sums.needs_crc()) crc_.emplace(site_bytes_);
  if (is_plain()) return;
  const auto site = static_cast<std::uint64_t>(staged_stride());
  staged_sites_ = std::max<std::uint64_t>(staged_bytes / site, 1);
  staged_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(staged_sites_ * site));
}

template <class Work>
void SitePacker::for_each_stage(const Run& run, Work&& work) const {
  for (std::uint64_t skip = 0; skip < run.sites; skip += staged_sites_) {
    Run part = run.behind(skip);
    part.sites = std::min(part.sites, staged_sites_);
    work(part, static_cast<std::ptrdiff_t>(skip));
  }
}

void SitePacker::pack(const std::byte* memory, std::ptrdiff_t stride, const Run& run, std::byte* file, SiteSums& sums,
                      std::uint64_t counted_from, kernels::isa::PrefetchPlan* coming) const {
  const base::DefaultFloatEnvironment as_in_the_format;
  if (is_plain()) return pack_in_order(memory, stride, run, file, sums, counted_from, coming);
  for_each_stage(run, [&](const Run& part, std::ptrdiff_t skip) {
    stage(memory + skip * stride, stride, part.sites);
    pack_in_order(staged_.get(), staged_stride(), part, file + skip * static_cast<std::ptrdiff_t>(site_bytes_), sums,
                  counted_from, coming);
  });
}

void SitePacker::unpack(const std::byte* file, const Run& run, std::byte* memory, std::ptrdiff_t stride, SiteSums& sums,
                        kernels::isa::PrefetchPlan* coming) const {
  const base::DefaultFloatEnvironment as_in_the_format;
  if (is_plain()) return unpack_in_order(file, run, memory, stride, sums, coming);
  for_each_stage(run, [&](const Run& part, std::ptrdiff_t skip) {
    unpack_in_order(file + skip * static_cast<std::ptrdiff_t>(site_bytes_), part, staged_.get(), staged_stride(), sums,
                    coming);
    unstage(memory + skip * stride, stride, part.sites);
  });
}

void SitePacker::stage(const std::byte* memory, std::ptrdiff_t stride, std::uint64_t sites) const {
  if (codec_.fixed16) return kernels::to_fixed16(memory_, numbers_, memory, stride, sites, staged_.get());
  kernels::gather_numbers(memory_, codec_.order, memory, stride, sites, staged_.get());
}

void SitePacker::unstage(std::byte* memory, std::ptrdiff_t stride, std::uint64_t sites) const {
  if (codec_.fixed16) return kernels::from_fixed16(memory_, numbers_, staged_.get(), sites, memory, stride);
  kernels::scatter_numbers(memory_, codec_.order, staged_.get(), sites, memory, stride);
  if (matrices_ == 0) return;
  for (std::uint64_t k = 0; k < sites; ++k) {
    std::byte* const site = memory + static_cast<std::ptrdiff_t>(k) * stride;
    if (codec_.third_rows_missing) {
      kernels::rebuild_third_rows(memory_, site, matrices_);
    } else {
      kernels::rebuild_second_columns(memory_, site, matrices_);
    }
  }
}

void SitePacker::pack_in_order(const std::byte* memory, std::ptrdiff_t stride, const Run& run, std::byte* file,
                               SiteSums& sums, std::uint64_t counted_from, kernels::isa::PrefetchPlan* coming) const {
  const std::uint64_t uncounted = sites_before(counted_from, run);
  const std::uint64_t plain = crc_ ? uncounted : run.sites;
  if (plain > 0) kernels::pack_sites(form_, memory, stride, plain, file);
  if (crc_) {
    const auto pack_and_sum = [&](Checksum& sum, kernels::WeightedSum* weighted, std::uint64_t skip, std::uint64_t n) {
      skip += plain;
      kernels::pack_and_sum(form_, *crc_, memory + static_cast<std::ptrdiff_t>(skip) * stride, stride, n,
                            file + skip * site_bytes_, run.site_rank + skip * run.rank_stride, run.rank_stride, sum,
                            weighted, coming);
    };
    sums.for_each_slice(run.file_site + plain, run.sites - plain, pack_and_sum);
  }
  sums.add_others(bytes_of(file + uncounted * site_bytes_, run.sites - uncounted), run.behind(uncounted));
}

void SitePacker::unpack_in_order(const std::byte* file, const Run& run, std::byte* memory, std::ptrdiff_t stride,
                                 SiteSums& sums, kernels::isa::PrefetchPlan* coming) const {
  sums.add_others(bytes_of(file, run.sites), run);
  if (!crc_) return kernels::unpack_sites(form_, file, run.sites, memory, stride);
  const auto unpack_and_sum = [&](Checksum& sum, kernels::WeightedSum* weighted, std::uint64_t skip, std::uint64_t n) {
    kernels::unpack_and_sum(form_, *crc_, file + skip * site_bytes_, n,
                            memory + static_cast<std::ptrdiff_t>(skip) * stride, stride,
                            run.site_rank + skip * run.rank_stride, run.rank_stride, sum, weighted, coming);
  };
  sums.for_each_slice(run.file_site, run.sites, unpack_and_sum);
}

void SitePacker::turn(std::byte* sites, const Run& run, SiteSums& sums) const {
  const base::DefaultFloatEnvironment as_in_the_format;
  sums.add_others(bytes_of(sites, run.sites), run);
  if (!crc_) return kernels::turn_sites(form_, sites, run.sites);
  const auto turn_and_sum = [&](Checksum& sum, kernels::WeightedSum* weighted, std::uint64_t skip, std::uint64_t n) {
    kernels::turn_and_sum(form_, *crc_, sites + skip * site_bytes_, n, run.site_rank + skip * run.rank_stride,
                          run.rank_stride, sum, weighted);
  };
  sums.for_each_slice(run.file_site, run.sites, turn_and_sum);
}

void SitePacker::sum(base::Bytes sites, const Run& run, SiteSums& sums) const {
  const base::DefaultFloatEnvironment as_in_the_format;
  sums.add_others(sites, run);
  if (!crc_) return;
  const auto add_sites = [&](Checksum& sum, kernels::WeightedSum* weighted, std::uint64_t skip, std::uint64_t n) {
    kernels::add_sites(sum, bytes_of(sites.data() + skip * site_bytes_, n), *crc_,
                       run.site_rank + skip * run.rank_stride, run.rank_stride, weighted);
  };
  sums.for_each_slice(run.file_site, run.sites, add_sites);
}

void SitePacker::sum(std::span<const std::uint32_t> crcs, base::Bytes sites, const Run& run, SiteSums& sums,
                     std::uint64_t counted_from) const {
  const std::uint64_t uncounted = sites_before(counted_from, run);
  const Run counted = run.behind(uncounted);
  const auto add = [&](Checksum& sum, kernels::WeightedSum* weighted, std::uint64_t skip, std::uint64_t n) {
    kernels::add_crcs(sum, crcs.subspan(static_cast<std::size_t>(uncounted + skip), static_cast<std::size_t>(n)),
                      counted.site_rank + skip * run.rank_stride, run.rank_stride, weighted);
  };
  sums.for_each_slice(counted.file_site, counted.sites, add);
  sums.add_others(sites.subspan(static_cast<std::size_t>(uncounted * site_bytes_)), counted);
}

}  // namespace lq::engine
