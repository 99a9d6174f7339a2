// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites one by one, or all in one call if memory has no gaps between them.
#include "kernels/pack.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace lq::kernels {
namespace {

std::ptrdiff_t site_bytes(const SiteForm& form, Precision precision) noexcept {
  return static_cast<std::ptrdiff_t>(form.numbers * (precision == Precision::single ? sizeof(float) : sizeof(double)));
}

}  // namespace

void pack_sites(const SiteForm& form, const std::byte* memory, std::ptrdiff_t stride_bytes, std::uint64_t sites,
                std::byte* file) noexcept {
  const isa::CopyNumbers copy = copy_loop(active_instruction_set(), {form.memory, false}, {form.file, form.swap});
  if (stride_bytes == site_bytes(form, form.memory)) return copy(memory, file, form.numbers * sites);
  for (std::uint64_t site = 0; site < sites; ++site) {
    const auto k = static_cast<std::ptrdiff_t>(site);
    copy(memory + k * stride_bytes, file + k * site_bytes(form, form.file), form.numbers);
  }
}

void unpack_sites(const SiteForm& form, const std::byte* file, std::uint64_t sites, std::byte* memory,
                  std::ptrdiff_t stride_bytes) noexcept {
  const isa::CopyNumbers copy = copy_loop(active_instruction_set(), {form.file, form.swap}, {form.memory, false});
  if (stride_bytes == site_bytes(form, form.memory)) return copy(file, memory, form.numbers * sites);
  for (std::uint64_t site = 0; site < sites; ++site) {
    const auto k = static_cast<std::ptrdiff_t>(site);
    copy(file + k * site_bytes(form, form.file), memory + k * stride_bytes, form.numbers);
  }
}

void turn_sites(const SiteForm& form, std::byte* sites_at, std::uint64_t sites) noexcept {
  if (form.swap) turn_loop(active_instruction_set(), form.file)(sites_at, form.numbers * sites);
}

// Within one precision, a single loop copies and sums; otherwise steps of a few sites are converted and summed while in
// the first cache level. If only the SciDAC checksum of the data read is needed, sites with the same rotation are added
// first: a CRC is linear, so one CRC for each rotation is enough for all of them.

namespace {

constexpr std::uint64_t max_step_sites = 64;
constexpr std::uint64_t step_bytes = 32768;

// Rotations by the rank modulo 29 and 31, advanced from site to site without a division.
class Summing {
 public:
  Summing(std::uint64_t first_rank, std::uint64_t rank_stride, Checksum& sum, WeightedSum* weighted) noexcept
      : by29_(first_rank % 29),
        by31_(first_rank % 31),
        step29_(rank_stride % 29),
        step31_(rank_stride % 31),
        rank_(first_rank),
        rank_stride_(rank_stride),
        sum_(sum),
        weighted_(weighted) {}

  void add(const std::uint32_t* crcs, std::size_t sites) noexcept {
    add_rotated(crcs, sites);
    if (weighted_ != nullptr) add_weighted(crcs, sites);
  }

 private:
  void add_rotated(const std::uint32_t* crcs, std::size_t sites) noexcept {
    Checksum sum = sum_;
    for (std::size_t k = 0; k < sites; ++k) {
      sum.suma ^= std::rotl(crcs[k], static_cast<int>(by29_));
      sum.sumb ^= std::rotl(crcs[k], static_cast<int>(by31_));
      by29_ += step29_;
      by31_ += step31_;
      if (by29_ >= 29) by29_ -= 29;
      if (by31_ >= 31) by31_ -= 31;
    }
    sum_ = sum;
  }

  void add_weighted(const std::uint32_t* crcs, std::size_t sites) noexcept {
    WeightedSum sum = *weighted_;
    for (std::size_t k = 0; k < sites; ++k, rank_ += rank_stride_) add_site(sum, rank_, crcs[k]);
    *weighted_ = sum;
  }

  std::uint64_t by29_, by31_, step29_, step31_;
  std::uint64_t rank_, rank_stride_;
  Checksum& sum_;
  WeightedSum* weighted_;
};

// Calls do_step(first site, sites, CRCs to fill) for a few sites at a time.
template <class DoStep>
void sum_in_steps(std::uint64_t site_bytes, std::uint64_t sites, Summing summing, DoStep do_step) noexcept {
  // Multiples of four, because the loops process that number of sites at once.
  const std::uint64_t in_cache = step_bytes / std::max<std::uint64_t>(site_bytes, 1) / 4 * 4;
  const std::uint64_t per_step = std::clamp<std::uint64_t>(in_cache, 4, max_step_sites);
  std::array<std::uint32_t, max_step_sites> crcs;
  for (std::uint64_t done = 0; done < sites;) {
    const auto step = static_cast<std::size_t>(std::min(per_step, sites - done));
    do_step(done, step, crcs.data());
    summing.add(crcs.data(), step);
    done += step;
  }
}

// The loop that does everything in one pass, or null.
isa::SiteLoop fused_loop(const SiteForm& form, const SiteCrc& crc, const isa::SiteLoop (&turning)[2]) noexcept {
  if (!crc.is_dot_product() || form.memory != form.file) return nullptr;
  return form.swap ? turning[index_of(form.file)] : crc.loops().copy_sum;
}

constexpr std::size_t rotations_a = 29, rotations_b = 31;
constexpr std::uint64_t largest_gathered = 288;  // bytes of a site: the sums stay in the first cache level
constexpr std::uint64_t worth_gathering = 512;   // sites

// The gathering loop, or null.
isa::GatherLoop gather_loop(const SiteForm& form, const SiteCrc& crc, std::uint64_t sites,
                            const WeightedSum* weighted) noexcept {
  const bool is_possible = weighted == nullptr && form.swap && form.memory == form.file && crc.is_dot_product() &&
                           crc.site_bytes() % 16 == 0 && crc.site_bytes() <= largest_gathered;
  return is_possible && sites >= worth_gathering ? crc.loops().gather_turn[index_of(form.file)] : nullptr;
}

// The exclusive or of the rotated CRCs of sites, from the sums of the sites of each rotation. The CRC of a sum is the
// sum of the CRCs, plus that of a site of zeros if their number is even.
std::uint32_t rotated_sum(const SiteCrc& crc, const isa::RotatingSums& sums, std::uint64_t sites) noexcept {
  std::array<std::uint32_t, rotations_b> crcs{};
  std::array<std::uint64_t, rotations_b> counts{};
  crc.of_sites(sums.sums, sums.places, crcs.data());
  std::size_t place = sums.place;
  for (std::size_t k = 0; k < sums.places; ++k) {
    counts[place] += sites / sums.places + (k < sites % sums.places ? 1 : 0);
    place += sums.step;
    if (place >= sums.places) place -= sums.places;
  }
  std::uint32_t sum = 0;
  for (std::size_t r = 0; r < sums.places; ++r) {
    const std::uint32_t zeros = counts[r] % 2 == 0 ? crc.table().crc_of_zeros : 0;
    sum ^= std::rotl(crcs[r] ^ zeros, static_cast<int>(r));
  }
  return sum;
}

void gather_and_sum(isa::GatherLoop loop, const SiteCrc& crc, const isa::SiteRun& run, std::uint64_t first_rank,
                    std::uint64_t rank_stride, Checksum& sum) noexcept {
  alignas(64) std::array<std::byte, (rotations_a + rotations_b) * largest_gathered> held;
  const auto site_bytes = static_cast<std::size_t>(crc.site_bytes());
  std::fill_n(held.begin(), (rotations_a + rotations_b) * site_bytes, std::byte{0});
  const isa::RotatingSums a{held.data(), rotations_a, static_cast<std::size_t>(first_rank % rotations_a),
                            static_cast<std::size_t>(rank_stride % rotations_a)};
  const isa::RotatingSums b{held.data() + rotations_a * site_bytes, rotations_b,
                            static_cast<std::size_t>(first_rank % rotations_b),
                            static_cast<std::size_t>(rank_stride % rotations_b)};
  loop(site_bytes, run, a, b);
  sum.suma ^= rotated_sum(crc, a, run.sites);
  sum.sumb ^= rotated_sum(crc, b, run.sites);
}

}  // namespace

void pack_and_sum(const SiteForm& form, const SiteCrc& crc, const std::byte* memory, std::ptrdiff_t stride_bytes,
                  std::uint64_t sites, std::byte* file, std::uint64_t first_rank, std::uint64_t rank_stride,
                  Checksum& sum, WeightedSum* weighted, isa::PrefetchPlan* coming) noexcept {
  const isa::SiteLoop fused = fused_loop(form, crc, crc.loops().turn_sum);
  const auto do_step = [&](std::uint64_t first, std::size_t step, std::uint32_t* crcs) {
    const std::byte* from = memory + static_cast<std::ptrdiff_t>(first) * stride_bytes;
    std::byte* to = file + first * crc.site_bytes();
    if (fused != nullptr) {
      const auto to_stride = static_cast<std::ptrdiff_t>(crc.site_bytes());
      return fused(crc.table(), {from, stride_bytes, to, to_stride, step, true, coming}, crcs);
    }
    pack_sites(form, from, stride_bytes, step, to);
    crc.of_sites(to, step, crcs);
  };
  sum_in_steps(crc.site_bytes(), sites, {first_rank, rank_stride, sum, weighted}, do_step);
}

void unpack_and_sum(const SiteForm& form, const SiteCrc& crc, const std::byte* file, std::uint64_t sites,
                    std::byte* memory, std::ptrdiff_t stride_bytes, std::uint64_t first_rank, std::uint64_t rank_stride,
                    Checksum& sum, WeightedSum* weighted, isa::PrefetchPlan* coming) noexcept {
  if (const isa::GatherLoop gather = gather_loop(form, crc, sites, weighted)) {
    return gather_and_sum(gather, crc,
                          {file, static_cast<std::ptrdiff_t>(crc.site_bytes()), memory, stride_bytes,
                           static_cast<std::size_t>(sites), false},
                          first_rank, rank_stride, sum);
  }
  const isa::SiteLoop fused = fused_loop(form, crc, crc.loops().sum_turn);
  const auto do_step = [&](std::uint64_t first, std::size_t step, std::uint32_t* crcs) {
    const std::byte* from = file + first * crc.site_bytes();
    std::byte* to = memory + static_cast<std::ptrdiff_t>(first) * stride_bytes;
    if (fused != nullptr) {
      const auto from_stride = static_cast<std::ptrdiff_t>(crc.site_bytes());
      return fused(crc.table(), {from, from_stride, to, stride_bytes, step, false, coming}, crcs);
    }
    crc.of_sites(from, step, crcs);
    unpack_sites(form, from, step, to, stride_bytes);
  };
  sum_in_steps(crc.site_bytes(), sites, {first_rank, rank_stride, sum, weighted}, do_step);
}

void turn_and_sum(const SiteForm& form, const SiteCrc& crc, std::byte* sites_at, std::uint64_t sites,
                  std::uint64_t first_rank, std::uint64_t rank_stride, Checksum& sum, WeightedSum* weighted) noexcept {
  const auto stride = static_cast<std::ptrdiff_t>(crc.site_bytes());
  if (const isa::GatherLoop gather = gather_loop(form, crc, sites, weighted)) {
    return gather_and_sum(gather, crc, {sites_at, stride, sites_at, stride, static_cast<std::size_t>(sites)},
                          first_rank, rank_stride, sum);
  }
  const isa::SiteLoop fused = form.swap ? fused_loop(form, crc, crc.loops().sum_turn) : nullptr;
  const auto do_step = [&](std::uint64_t first, std::size_t step, std::uint32_t* crcs) {
    std::byte* at = sites_at + first * crc.site_bytes();
    if (fused != nullptr) return fused(crc.table(), {at, stride, at, stride, step}, crcs);
    crc.of_sites(at, step, crcs);
    turn_sites(form, at, step);
  };
  sum_in_steps(crc.site_bytes(), sites, {first_rank, rank_stride, sum, weighted}, do_step);
}

void add_crcs(Checksum& sum, std::span<const std::uint32_t> crcs, std::uint64_t first_rank, std::uint64_t rank_stride,
              WeightedSum* weighted) noexcept {
  Summing(first_rank, rank_stride, sum, weighted).add(crcs.data(), crcs.size());
}

void add_sites(Checksum& sum, base::Bytes bytes, const SiteCrc& crc, std::uint64_t first_rank,
               std::uint64_t rank_stride, WeightedSum* weighted) noexcept {
  if (crc.site_bytes() == 0) return;
  const auto do_step = [&](std::uint64_t first, std::size_t step, std::uint32_t* crcs) {
    crc.of_sites(bytes.data() + first * crc.site_bytes(), step, crcs);
  };
  sum_in_steps(crc.site_bytes(), bytes.size() / crc.site_bytes(), {first_rank, rank_stride, sum, weighted}, do_step);
}

namespace {

isa::StripeLoop loop_of(const isa::StripeLoops& loops, std::size_t pieces) noexcept {
  return pieces == 8 ? loops.of_8 : pieces == 16 ? loops.of_16 : loops.any;
}

}  // namespace

bool has_stripe_loops(const SiteForm& form, const SiteCrc& crc) noexcept {
  return form.swap && form.memory == form.file && crc.is_dot_product() && crc.site_bytes() % 16 == 0 &&
         crc.loops().take_stripes[0].any != nullptr;
}

std::size_t equal_pieces(std::span<const Stripe> stripes) noexcept {
  const std::size_t bytes = stripes.front().bytes;
  std::size_t at = stripes.front().in_site;
  const bool follow = std::ranges::all_of(stripes, [&](const Stripe& stripe) {
    const bool follows = stripe.bytes == bytes && stripe.in_site == at;
    at += bytes;
    return follows;
  });
  return follow && (bytes == 8 || bytes == 16) ? bytes : 0;
}

void take_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept {
  loop_of(crc.loops().take_stripes[index_of(form.file)], pieces)(crc.table(), run);
}

void give_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept {
  loop_of(crc.loops().give_stripes[index_of(form.file)], pieces)(crc.table(), run);
}

}  // namespace lq::kernels
