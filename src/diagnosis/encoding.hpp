// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the numbers of a site of a gauge field are stored, for any order of sites and links: decoding, and a check
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

// Reads the bytes of single sites anywhere in a file, in bounded memory and with few reads for neighbouring sites.
class SiteReader {
 public:
  SiteReader(base::ByteSource& file, std::uint64_t offset, std::uint64_t site_bytes);

  // Site `number` in file order, valid until the next call; shorter if the file ends.
  base::Bytes site(std::uint64_t number);

 private:
  static constexpr std::uint64_t slots = 256;

  struct Slot {
    std::uint64_t block = 0;
    std::vector<std::byte> bytes;  // empty: nothing read yet
  };
  base::ByteSource& file_;
  std::uint64_t offset_, site_bytes_;
  std::uint64_t block_sites_;  // per read
  std::vector<Slot> slots_;
};

// The indices of a number of a gauge field.
enum class Axis { site, link, row, column, part };
using Axes = std::array<Axis, 5>;  // slowest first
inline constexpr Axes natural_axes = {Axis::site, Axis::link, Axis::row, Axis::column, Axis::part};
// All orders, the natural one first. Rows come before columns in each: the reverse is the transpose of each link, which
// the plaquette shows.
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
  // The extent of an axis in the file; 1 for sites.
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
  // The number of arrays over which the numbers of a site are distributed, each with one value for every site: the
  // product of the axes slower than the site axis.
  std::uint64_t arrays() const noexcept;
  // The same numbers with the arrays of each site in sequence, from byte `begin` on.
  Encoding as_sequence(std::uint64_t begin) const noexcept;
};

// Strides of the axes in numbers, by Axis; `sites`: number of sites.
std::array<std::uint64_t, 5> strides_of(const Encoding& encoding, std::uint64_t sites) noexcept;

// Infinite for an empty list.
double median_of(std::vector<double>& values);

// One number at any address.
double number_at(const Encoding& encoding, const std::byte* at) noexcept;

// The links of a site as rows of re, im pairs, in the order of the file. `site`: the bytes of the site's numbers in
// the order of the axes; `numbers` has space for links * numbers().
void decode(const Encoding& encoding, base::Bytes site, std::span<double> numbers) noexcept;

// The reverse; a third row that is not stored is omitted.
void encode(const Encoding& encoding, std::span<const double> numbers, base::MutableBytes site) noexcept;

// The distance of a link from the group: the largest |element| of U U^dagger - 1; and |det U - 1|, or |det U + 1| if
// that is smaller and allowed: boundary conditions change signs.
struct Distance {
  double unitarity = 0, determinant = 0;
};
Distance distance_of(int colors, const double* u);

// Links further away are not in the group, in either precision: larger than rounding errors of single precision.
inline constexpr double largest_distance = 1e-4, largest_determinant = 1e-3;
// Rounding errors of programs in double precision.
inline constexpr double precise_distance = 1e-10;

// Result of testing an encoding on a sample of links. Medians are infinite if no link is finite and nonzero.
struct Fit {
  double unitarity = 0;
  double determinant = 0;            // of |det U - 1|, or |det U + 1| if that is less: boundary conditions change signs
  double share = 0;                  // fraction of links in the group by both
  bool is_single_in_double = false;  // double precision numbers with single precision values
  bool is_group() const noexcept { return share > 0.5; }
  // True if in the group to the precision of the numbers.
  bool is_precise(Precision precision) const noexcept {
    return is_group() && (precision == Precision::single || is_single_in_double || unitarity < precise_distance);
  }
};
// From `samples` sites spread over the existing `sites`.
Fit fit_of(const Encoding& encoding, base::ByteSource& file, std::uint64_t sites, std::uint64_t samples);

}  // namespace lq::diagnosis
