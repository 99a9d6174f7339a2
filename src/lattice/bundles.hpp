// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What lies side by side in described memory and in a site, and what of it is best moved together.
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
  std::byte* memory = nullptr;  // of the site whose place is 0
  std::size_t bytes = 0;
};

constexpr std::size_t line_bytes = 64;  // of a cache

// Stripes that are moved together, site after site: few streams through memory at a time, and whole cache lines of
// rows (stripes that are not close are moved by a cache line of a row at a time).
struct Bundle {
  std::vector<Stripe> stripes{};
  std::vector<Piece> pieces{};  // one of all stripes, or one of each
  std::size_t bytes_each = 0;   // 0: they differ
  std::ptrdiff_t step = 0;  // bytes from one to the next, where these are as many, and they are side by side in a site
  bool is_transposed = false;  // each is a matrix by columns
  bool is_near = false;        // it is worth to fetch it ahead; the rest comes in long streams, fetched by processors
  std::uint64_t group = 0;     // of places

  const Piece& piece_of(std::size_t stripe) const noexcept { return pieces[pieces.size() == 1 ? 0 : stripe]; }
};

// `arrays`: where they begin. `number_bytes`: of a number in memory.
std::vector<Bundle> bundles_of(const SitePlaces& places, std::span<std::byte* const> arrays, std::size_t number_bytes);

// What a few sites are in memory, put together in a cache and copied there in long pieces, around the caches: stores
// that wait for each line that they go to would take a good part of the time that reading a file takes.

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

// Sites of described memory moved to the bytes of a file and back in one pass: gathered, turned and summed at once.

// The form of sites in a file, and their CRC-32.
struct SummedForm {
  const kernels::SiteForm& form;
  const kernels::SiteCrc& crc;
};

// Parts of a file, each of as many sites, which begin `apart` bytes from one another.
template <class Byte>
struct FileParts {
  Byte* begin = nullptr;
  std::size_t count = 1;
  std::size_t apart = 0;
};

class OnePass {
 public:
  // Of `most` sites at a time; more ask for memory. With an image the bundles are its own, and what is given goes on to
  // memory. Nothing where stripes are not made of words of 8 bytes.
  static std::optional<OnePass> find(std::span<const Bundle> bundles, std::size_t number_bytes, std::size_t site_bytes,
                                     std::size_t most, const MemoryImage* image = nullptr);

  // The sites at these places, of each group of places one span after the other, part after part.
  struct Sites {
    std::span<const std::int64_t> places;
    std::size_t count = 0;
    // Which go one after the other, for they share cache lines: those below this place and then the others; or those
    // of this many lanes, which are contiguous.
    std::int64_t parted_at = 0;
    std::size_t lanes = 1;
    std::size_t shared_by = 1;  // so many, taken so, have their pieces of memory together
    std::size_t ahead = 0;
  };
  // Answers the CRC-32 of each, until more are moved.
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
