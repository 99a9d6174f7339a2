// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sum of the squares of each site's numbers, as they are in the file: links of SU(N) have a known one. `Set` is a
// type local to the file that includes this, so that its instances are, too (see loops.hpp).
#pragma once

#include <cstring>

#include "kernels/isa/loops.hpp"
#include "kernels/isa/vectors.hpp"

namespace lq::kernels::isa {

inline constexpr std::size_t square_bytes = 32;  // of numbers that are squared at once

template <class Set, class Real>
struct Squares;

template <class Set>
struct Squares<Set, float> {
  using Vector = typename NumbersOf<Set, float, square_bytes / sizeof(float)>::Type;
  using Bits = std::uint32_t;
  static Bits swapped(Bits bits) noexcept { return __builtin_bswap32(bits); }
};

template <class Set>
struct Squares<Set, double> {
  using Vector = typename NumbersOf<Set, double, square_bytes / sizeof(double)>::Type;
  using Bits = std::uint64_t;
  static Bits swapped(Bits bits) noexcept { return __builtin_bswap64(bits); }
};

// The byte order of the numbers in `bytes` turned. Without an instruction that moves bytes anywhere, number by number.
template <class Set, class Real>
[[gnu::always_inline]] inline void turn_vector(unsigned char (&bytes)[square_bytes]) noexcept {
#if defined(__AVX2__) && !defined(LQ_PORTABLE_KERNELS)
  typename NumbersOf<Set, unsigned char, square_bytes>::Type all;
  std::memcpy(&all, bytes, sizeof all);
  if constexpr (sizeof(Real) == sizeof(double)) {
    shuffle<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 23, 22, 21, 20, 19, 18, 17, 16, 31, 30, 29, 28, 27,
            26, 25, 24>(all, all, all);
  } else {
    shuffle<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20, 27, 26, 25, 24, 31,
            30, 29, 28>(all, all, all);
  }
  std::memcpy(bytes, &all, sizeof all);
#else
  for (std::size_t at = 0; at < square_bytes; at += sizeof(Real)) {
    typename Squares<Set, Real>::Bits bits;
    std::memcpy(&bits, bytes + at, sizeof bits);
    bits = Squares<Set, Real>::swapped(bits);
    std::memcpy(bytes + at, &bits, sizeof bits);
  }
#endif
}

template <class Set, class Real, bool swapped>
[[gnu::always_inline]] inline void add_squares(const std::byte* numbers, std::size_t bytes,
                                               typename Squares<Set, Real>::Vector& sum) noexcept {
  unsigned char read[square_bytes] = {};
  std::memcpy(read, numbers, bytes);
  if constexpr (swapped) turn_vector<Set, Real>(read);
  typename Squares<Set, Real>::Vector x;
  std::memcpy(&x, read, sizeof x);
  sum += x * x;
}

template <class Set, class Real, bool swapped>
std::size_t first_beyond(const std::byte* bytes, std::size_t numbers, std::size_t sites, double least,
                         double most) noexcept {
  const std::size_t site_bytes = numbers * sizeof(Real);
  for (std::size_t site = 0; site < sites; ++site, bytes += site_bytes) {
    typename Squares<Set, Real>::Vector one = {}, two = {};
    std::size_t at = 0;
    for (; at + 2 * square_bytes <= site_bytes; at += 2 * square_bytes) {
      add_squares<Set, Real, swapped>(bytes + at, square_bytes, one);
      add_squares<Set, Real, swapped>(bytes + at + square_bytes, square_bytes, two);
    }
    for (; at + square_bytes <= site_bytes; at += square_bytes) {
      add_squares<Set, Real, swapped>(bytes + at, square_bytes, one);
    }
    if (at < site_bytes) add_squares<Set, Real, swapped>(bytes + at, site_bytes - at, two);
    one += two;
    double sum = 0;
    for (std::size_t lane = 0; lane < square_bytes / sizeof(Real); ++lane) sum += static_cast<double>(one[lane]);
    if (!(sum >= least && sum <= most)) return site;
  }
  return sites;
}

}  // namespace lq::kernels::isa
