// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of sites between memory form and file form, with their checksum in the same pass if there is to be one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <limequat/catalog.hpp>

#include "kernels/pack.hpp"
#include "kernels/site_crc.hpp"
#include "pump/slice_sums.hpp"
#include "pump/stretches.hpp"

namespace lq::pump {

// Consecutive sites of the file.
struct Run {
  std::uint64_t file_site = 0;
  std::uint64_t sites = 0;
  std::uint64_t site_rank = 0;  // of the first, for the checksum
  std::uint64_t rank_stride = 1;

  explicit Run(const Piece& piece)
      : file_site(piece.file_site()),
        sites(piece.sites),
        site_rank(piece.site_rank()),
        rank_stride(piece.row.rank_stride) {}
  Run(std::uint64_t site, std::uint64_t count, std::uint64_t rank, std::uint64_t stride)
      : file_site(site), sites(count), site_rank(rank), rank_stride(stride) {}
};

class SitePacker {
 public:
  // `memory`: the precision there.
  SitePacker(const Payload& payload, Precision memory, bool checksum);

  std::uint64_t site_bytes() const noexcept { return site_bytes_; }
  std::int64_t memory_bytes() const noexcept { return memory_bytes_; }  // of a site
  // Whether a site lies in memory as in the file, but for the order of bytes in a number.
  bool is_same_precision() const noexcept { return form_.memory == form_.file; }

  // `stride`: bytes from one site in memory to the next. Sites before number `counted_from` are not summed.
  void pack(const std::byte* memory, std::ptrdiff_t stride, const Run& run, std::byte* file, SliceSums& sums,
            std::uint64_t counted_from = 0) const;
  void unpack(const std::byte* file, const Run& run, std::byte* memory, std::ptrdiff_t stride, SliceSums& sums) const;
  // From file form to memory form where they lie; needs the same precision.
  void turn(std::byte* sites, const Run& run, SliceSums& sums) const;
  // The checksum of sites in file form.
  void sum(base::Bytes sites, const Run& run, SliceSums& sums) const;

 private:
  kernels::SiteForm form_;
  std::uint64_t site_bytes_;
  std::int64_t memory_bytes_;
  std::optional<kernels::SiteCrc> crc_;  // only with a checksum
};

}  // namespace lq::pump
