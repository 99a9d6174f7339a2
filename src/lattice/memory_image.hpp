// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a few sites are in memory, put together in a cache and copied there in long pieces, around the caches: stores
// that wait for each line that they go to would take a good part of the time that reading a file takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/isa/loops.hpp"
#include "lattice/bundles.hpp"
#include "lattice/site_runs.hpp"

namespace lq::lattice {

class MemoryImage {
 public:
  // Of `most` sites at a time, or of the given number of vectors of these lanes. Nothing where the bundles have no such
  // image, or the processor does not copy so.
  static std::unique_ptr<MemoryImage> find(std::span<const Bundle> bundles, std::size_t lanes, std::size_t number_bytes,
                                           std::size_t most);

  // Sites, or vectors, at these places in memory are next. `dense` and `turns` as of SiteRuns. False: they are too
  // many, or lie in pieces so short that few of their lines would be written whole.
  bool aim_at(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns);

  // Where they are in the image, and a bundle there: one at a time.
  std::span<const std::int64_t> places() const noexcept { return places_; }
  const Bundle& bundle(std::size_t number) const noexcept { return images_[number]; }
  std::span<const Bundle> bundles() const noexcept { return images_; }
  // Copies it to memory; it is there when settle() returns.
  void put(std::size_t number) const noexcept;
  void settle() const noexcept { around_.settle(); }

 private:
  struct alignas(line_bytes) Line {
    std::byte bytes[line_bytes];
  };

  MemoryImage(std::span<const Bundle> bundles, std::size_t lanes, std::size_t number_bytes, std::size_t most,
              std::size_t piece_bytes);
  void add(Bundle bundle, std::size_t lanes);
  std::size_t copies_of(const SiteRun& run) const noexcept;

  kernels::isa::AroundCaches around_;
  std::size_t most_, number_bytes_, piece_bytes_;
  std::size_t lines_of_piece_;  // of all sites, contiguous
  std::unique_ptr<Line[]> lines_;
  std::vector<Bundle> images_;
  std::vector<std::vector<std::byte*>> memory_;  // of each bundle its pieces, of the site whose place is 0
  SiteRuns runs_;
  std::vector<std::int64_t> places_;
};

}  // namespace lq::lattice
