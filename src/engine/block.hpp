// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What all transfers share: the form of a site, the buffer, reading whole or failing, and the watch for zeros and odd
// numbers.
#pragma once

#include <bit>
#include <memory>
#include <vector>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "engine/stretches.hpp"
#include "engine/transfer_stats.hpp"
#include "kernels/digest.hpp"
#include "kernels/pack.hpp"

namespace lq::engine {

inline kernels::SiteForm form_of(const Payload& payload, Precision memory) {
  const bool host_is_little = std::endian::native == std::endian::little;
  return {payload.site_bytes() / payload.spec.number_bytes(), memory, payload.spec.precision,
          (payload.byte_order == ByteOrder::big) == host_is_little};
}

// A block of whole sites.
class Block {
 public:
  Block(std::uint64_t block_bytes, std::uint64_t site_bytes);
  std::uint64_t max_sites() const noexcept { return max_sites_; }
  std::uint64_t bytes() const noexcept { return max_sites_ * site_bytes_; }
  base::MutableBytes first_sites(std::uint64_t sites) noexcept {
    return {bytes_.get(), static_cast<std::size_t>(sites * site_bytes_)};
  }

 private:
  std::uint64_t site_bytes_;
  std::uint64_t max_sites_;
  std::unique_ptr<std::byte[]> bytes_;
};

// All of `bytes` from `offset`, or Error(truncated).
void read_whole(base::ByteSource& file, std::uint64_t offset, base::MutableBytes bytes);

// Notes sites of a gauge field that hold only zeros, and odd numbers where these are asked for.
void watch(const Payload& payload, base::Bytes sites, std::uint64_t file_site, TransferStats& stats);
// Odd numbers in a piece that is written, where these are asked for; its sites before `counted_from` are not counted.
void watch_written(const Payload& payload, const std::byte* sites, const Piece& piece, std::uint64_t counted_from,
                   TransferStats& stats);

}  // namespace lq::engine
