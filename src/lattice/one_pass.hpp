// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of described memory moved to the bytes of a file and back in one pass: gathered, turned and summed at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/pack.hpp"
#include "lattice/bundles.hpp"
#include "lattice/memory_image.hpp"

namespace lq::lattice {

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
