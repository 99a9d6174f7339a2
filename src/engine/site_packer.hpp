// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Converts runs of sites between memory form and file form, with their sums in the same pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <limequat/catalog.hpp>

#include "engine/site_sums.hpp"
#include "kernels/isa/loops.hpp"
#include "kernels/pack.hpp"
#include "kernels/site_crc.hpp"

namespace lq::engine {

// Not thread-safe.
class SitePacker {
 public:
  // `memory`: the precision in memory. `sums` defines what the sums passed later need.
  SitePacker(const Payload& payload, Precision memory, const SiteSums& sums);

  std::uint64_t site_bytes() const noexcept { return site_bytes_; }
  std::int64_t memory_bytes() const noexcept { return memory_bytes_; }  // per site
  // True if memory form and file form differ at most in byte order.
  bool lies_as_in_file() const noexcept { return form_.memory == form_.file && is_plain(); }

  // `stride`: bytes from one site in memory to the next. Sites before number `counted_from` are not summed. `coming`:
  // memory to prefetch in the meantime, for sites in cache.
  void pack(const std::byte* memory, std::ptrdiff_t stride, const Run& run, std::byte* file, SiteSums& sums,
            std::uint64_t counted_from = 0, kernels::isa::PrefetchPlan* coming = nullptr) const;
  void unpack(const std::byte* file, const Run& run, std::byte* memory, std::ptrdiff_t stride, SiteSums& sums,
              kernels::isa::PrefetchPlan* coming = nullptr) const;
  // Converts file form to memory form in place; requires lies_as_in_file().
  void turn(std::byte* sites, const Run& run, SiteSums& sums) const;
  // The sums of sites in file form.
  void sum(base::Bytes sites, const Run& run, SiteSums& sums) const;
  // For callers that pack and unpack with the CRC-32 of each site in the same pass; null if no CRC is required or no
  // loop supports it.
  const kernels::SiteCrc* crc_in_one_pass() const noexcept {
    return crc_ && is_plain() && kernels::has_stripe_loops(form_, *crc_) ? &*crc_ : nullptr;
  }
  const kernels::SiteForm& form() const noexcept { return form_; }
  // Adds the sums of sites packed or unpacked that way; those before number `counted_from` are not summed.
  void sum(std::span<const std::uint32_t> crcs, base::Bytes sites, const Run& run, SiteSums& sums,
           std::uint64_t counted_from = 0) const;

 private:
  base::Bytes bytes_of(const std::byte* file, std::uint64_t sites) const noexcept {
    return {file, static_cast<std::size_t>(sites * site_bytes_)};
  }

  bool is_plain() const noexcept { return codec_.order.empty() && !codec_.fixed16; }
  std::ptrdiff_t staged_stride() const noexcept {
    return static_cast<std::ptrdiff_t>(codec_.fixed16 ? site_bytes_ : codec_.order.size() * number_bytes_);
  }
  void stage(const std::byte* memory, std::ptrdiff_t stride, std::uint64_t sites) const;
  void unstage(std::byte* memory, std::ptrdiff_t stride, std::uint64_t sites) const;
  template <class Work>
  void for_each_stage(const Run& run, Work&& work) const;
  void pack_in_order(const std::byte* memory, std::ptrdiff_t stride, const Run& run, std::byte* file, SiteSums& sums,
                     std::uint64_t counted_from, kernels::isa::PrefetchPlan* coming) const;
  void unpack_in_order(const std::byte* file, const Run& run, std::byte* memory, std::ptrdiff_t stride, SiteSums& sums,
                       kernels::isa::PrefetchPlan* coming) const;

  kernels::SiteForm form_;  // numbers in the order of the file, or words of a site in fixed point
  SiteCodec codec_;
  Precision memory_;
  std::uint64_t numbers_;   // per site, in memory
  std::uint64_t matrices_;  // per site, without third rows in the file
  std::uint64_t site_bytes_;
  std::uint64_t number_bytes_;  // in memory
  std::int64_t memory_bytes_;
  std::uint64_t staged_sites_ = 0;
  std::unique_ptr<std::byte[]> staged_;  // numbers in file order and memory form, or fixed-point words
  std::optional<kernels::SiteCrc> crc_;  // only if sums need it
};

}  // namespace lq::engine
