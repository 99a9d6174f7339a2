// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of described memory that are contiguous in a site, and which of them are best moved together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/isa/loops.hpp"
#include "kernels/pack.hpp"
#include "lattice/site_places.hpp"

namespace lq::lattice {

using kernels::isa::Stripe;

// Memory of stripes with nothing else between them.
struct Piece {
  std::byte* memory = nullptr;  // for the site at place 0
  std::size_t bytes = 0;
};

constexpr std::size_t line_bytes = 64;  // of the cache

// Stripes that are moved together, site by site: few streams through memory at a time, and whole cache lines of rows.
// (Stripes that are not close are moved by a cache line of a row at a time.)
struct Bundle {
  std::vector<Stripe> stripes{};
  std::vector<Piece> pieces{};  // one for all stripes, or one for each
  std::size_t bytes_each = 0;   // 0: they differ
  std::ptrdiff_t step = 0;      // bytes from one to the next, if constant and if they are contiguous in a site
  bool is_transposed = false;   // each is a matrix stored by columns
  bool is_near = false;         // worth prefetching; the rest are long streams, prefetched by hardware
  std::uint64_t group = 0;      // group of places

  const Piece& piece_of(std::size_t stripe) const noexcept { return pieces[pieces.size() == 1 ? 0 : stripe]; }
};

// `arrays`: their start addresses. `number_bytes`: size of a number in memory.
std::vector<Bundle> bundles_of(const SitePlaces& places, std::span<std::byte* const> arrays, std::size_t number_bytes);

// An image of a few sites as they are in memory, assembled in the cache and copied to memory in long pieces with
// non-temporal stores. Ordinary stores, which load each line first, would take much of the time of reading a file.

class MemoryImage {
 public:
  // For `most` sites at a time, or the given number of vectors of these lanes. Empty if the bundles have no such image,
  // or the processor has no such stores.
  static std::unique_ptr<MemoryImage> find(std::span<const Bundle> bundles, std::size_t lanes, std::size_t number_bytes,
                                           std::size_t most);

  // The next sites, or vectors, are at these places in memory. `dense` and `turns` as in SiteRuns. False: there are too
  // many, or their pieces are so short that few lines would be written whole.
  bool aim_at(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns);

  // Their places in the image, and a bundle of the image: one at a time.
  std::span<const std::int64_t> places() const noexcept { return places_; }
  const Bundle& bundle(std::size_t number) const noexcept { return images_[number]; }
  std::span<const Bundle> bundles() const noexcept { return images_; }
  // Copies it to memory; complete when settle() returns.
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
  std::size_t lines_of_piece_;  // for all sites, contiguous
  std::unique_ptr<Line[]> lines_;
  std::vector<Bundle> images_;
  std::vector<std::vector<std::byte*>> memory_;  // by bundle: its pieces, for the site at place 0
  SiteRuns runs_;
  std::vector<std::int64_t> places_;
};

// Sites of described memory moved to and from the bytes of a file in one pass: gathered, reordered and summed.

// The form of sites in a file, and their CRC-32.
struct SummedForm {
  const kernels::SiteForm& form;
  const kernels::SiteCrc& crc;
};

// Parts of a file with equally many sites each, which begin `apart` bytes from one another.
template <class Byte>
struct FileParts {
  Byte* begin = nullptr;
  std::size_t count = 1;
  std::size_t apart = 0;
};

class OnePass {
 public:
  // For `most` sites at a time; more allocate memory. With an image the bundles belong to it, and sites are then copied
  // to memory. Empty if stripes are not made of 8-byte words.
  static std::optional<OnePass> find(std::span<const Bundle> bundles, std::size_t number_bytes, std::size_t site_bytes,
                                     std::size_t most, const MemoryImage* image = nullptr);

  // The sites at these places: one span for each group of places, part after part.
  struct Sites {
    std::span<const std::int64_t> places;
    std::size_t count = 0;
    // Order of processing, by shared cache lines: sites below this place first, then the others; or groups of this many
    // lanes, which are contiguous.
    std::int64_t parted_at = 0;
    std::size_t lanes = 1;
    std::size_t shared_by = 1;  // this many sites, in that order, share their pieces of memory
    std::size_t ahead = 0;
  };
  // Returns the CRC-32 of each, valid until more are moved.
  std::span<const std::uint32_t> take(const SummedForm& form, const Sites& sites, const FileParts<std::byte>& to);
  std::span<const std::uint32_t> give(const SummedForm& form, const Sites& sites,
                                      const FileParts<const std::byte>& from);

 private:
  struct Stripes {
    std::vector<kernels::Stripe> stripes;
    std::size_t pieces = 0;
    std::uint64_t group = 0;
  };
  struct alignas(line_bytes) Line {
    std::byte bytes[line_bytes];
  };

  OnePass(std::size_t number_bytes, std::size_t site_bytes, std::size_t most);
  void make_room(std::size_t sites);
  void add(const Bundle& bundle);
  bool sort(const Sites& sites, const FileParts<std::byte>& file) noexcept;
  template <class Move>
  std::span<const std::uint32_t> move(const Sites& sites, const FileParts<std::byte>& file, const Move& move);

  std::size_t number_bytes_, site_bytes_;
  const MemoryImage* image_ = nullptr;
  std::vector<Stripes> bundles_;
  std::vector<Line> sums_;
  std::vector<std::uint32_t> crcs_;
  std::vector<std::size_t> order_, file_at_;
};

}  // namespace lq::lattice
