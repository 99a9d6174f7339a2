// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the numbers of a site of a gauge field are stored, whatever the order of sites and links: decoded, and judged by
// whether the links are in SU(N).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/diagnose.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::diagnosis {

// The bytes of single sites anywhere in a file, with few reads where they are neighbours and in bounded memory.
class SiteReader {
 public:
  SiteReader(base::ByteSource& file, std::uint64_t offset, std::uint64_t site_bytes);

  // Of site `number` of the file's sequence, until the next call; shorter where the file ends.
  base::Bytes site(std::uint64_t number);

 private:
  static constexpr std::uint64_t slots = 256;

  struct Slot {
    std::uint64_t block = 0;
    std::vector<std::byte> bytes;  // empty: nothing was read yet
  };
  base::ByteSource& file_;
  std::uint64_t offset_, site_bytes_;
  std::uint64_t block_sites_;  // of a read
  std::vector<Slot> slots_;
};

// What the numbers of a gauge field are counted by.
enum class Axis { site, link, row, column, part };
using Axes = std::array<Axis, 5>;  // slowest first
inline constexpr Axes natural_axes = {Axis::site, Axis::link, Axis::row, Axis::column, Axis::part};
// All orders, the natural one first. Rows come before columns in each: the reverse is the transpose of each link, which
// the plaquette tells.
const std::vector<Axes>& all_axes();

struct Encoding {
  std::uint64_t offset = 0;  // of the first number
  int colors = 3;
  int links = 4;
  Precision precision = Precision::double_;
  ByteOrder byte_order = ByteOrder::big;
  bool halves_exchanged = false;
  bool imaginary_first = false;
  bool third_rows_missing = false;
  Axes axes = natural_axes;
  friend bool operator==(const Encoding&, const Encoding&) = default;

  ComplexParts parts() const noexcept {
    return axes.back() != Axis::part ? ComplexParts::apart
           : imaginary_first         ? ComplexParts::exchanged
                                     : ComplexParts::interleaved;
  }
  std::uint64_t number_bytes() const noexcept { return precision == Precision::single ? 4 : 8; }
  // How many there are of an axis in the file; of sites 1.
  std::uint64_t extent(Axis axis) const noexcept;
  // Numbers of a link as it is stored, and as it is decoded.
  std::size_t stored_numbers() const noexcept {
    const auto n = static_cast<std::size_t>(colors);
    return 2 * n * (third_rows_missing ? n - 1 : n);
  }
  std::size_t numbers() const noexcept {
    return 2 * static_cast<std::size_t>(colors) * static_cast<std::size_t>(colors);
  }
  std::uint64_t site_bytes() const noexcept {
    return static_cast<std::uint64_t>(links) * stored_numbers() * number_bytes();
  }
  // Into how many arrays the numbers of a site are dealt, each with the same for every site: those of the axes that are
  // slower than that of the sites.
  std::uint64_t arrays() const noexcept;
  // The same numbers with the arrays of each site one after the other, from byte `begin` on.
  Encoding as_sequence(std::uint64_t begin) const noexcept;
};

// Strides of the axes in numbers, by Axis; `sites`: how many there are.
std::array<std::uint64_t, 5> strides_of(const Encoding& encoding, std::uint64_t sites) noexcept;

// Of some; infinite where there are none.
double median_of(std::vector<double>& values);

// One number, whatever is before and after it.
double number_at(const Encoding& encoding, const std::byte* at) noexcept;

// The links of a site as rows of re, im pairs, in the order of the file. `site` are the bytes of the site's numbers in
// the order of the axes, `numbers` has room for links * numbers().
void decode(const Encoding& encoding, base::Bytes site, std::span<double> numbers) noexcept;

// The reverse; a third row that is not stored is left out.
void encode(const Encoding& encoding, std::span<const double> numbers, base::MutableBytes site) noexcept;

// How far a link is from the group: the largest |element| of U U^dagger - 1; of |det U - 1|, or |det U + 1| where that
// is less and may be: boundary conditions change signs.
struct Distance {
  double unitarity = 0, determinant = 0;
};
Distance distance_of(int colors, const double* u);

// Links with more are none of the group, in single precision as in double: beyond the rounding of the former.
inline constexpr double largest_distance = 1e-4, largest_determinant = 1e-3;
// What double precision leaves of the rounding of programs.
inline constexpr double precise_distance = 1e-10;

// What a sample of links says of an encoding. Medians are infinite where no link is finite and other than zero.
struct Fit {
  double unitarity = 0;
  double determinant = 0;  // of |det U - 1|, or |det U + 1| where that is less: boundary conditions change signs
  double share = 0;        // of the links that are in the group by both
  bool is_single_in_double = false;  // numbers in double precision that are those of single precision
  bool is_group() const noexcept { return share > 0.5; }
  // In the group to the precision that the numbers have.
  bool is_precise(Precision precision) const noexcept {
    return is_group() && (precision == Precision::single || is_single_in_double || unitarity < precise_distance);
  }
};
// Of `samples` sites from the front to the back of the `sites` that are there.
Fit fit_of(const Encoding& encoding, base::ByteSource& file, std::uint64_t sites, std::uint64_t samples);

}  // namespace lq::diagnosis
