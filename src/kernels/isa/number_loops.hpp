// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One loop per combination of precision and byte order, each simple enough for the compiler to vectorise. `Set` is a
// type local to the including file, so that its instances are local too (see loops.hpp).
#pragma once

#include <cstring>

#include "kernels/isa/loops.hpp"
#include "kernels/isa/row_loops.hpp"
#include "kernels/isa/vectors.hpp"

namespace lq::kernels::isa {

template <class Set, class Real>
struct Number;

template <class Set>
struct Number<Set, float> {
  using Bits = std::uint32_t;
  static Bits swapped(Bits bits) noexcept { return __builtin_bswap32(bits); }
};

template <class Set>
struct Number<Set, double> {
  using Bits = std::uint64_t;
  static Bits swapped(Bits bits) noexcept { return __builtin_bswap64(bits); }
};

template <class Set, class From, class To>
struct Conversion {
  static typename Number<Set, To>::Bits of(typename Number<Set, From>::Bits bits) noexcept {
    From in;
    std::memcpy(&in, &bits, sizeof in);
    const To out = static_cast<To>(in);
    typename Number<Set, To>::Bits converted;
    std::memcpy(&converted, &out, sizeof out);
    return converted;
  }
};

// Between equal precisions only bits are copied: NaNs keep their payload.
template <class Set, class Real>
struct Conversion<Set, Real, Real> {
  static typename Number<Set, Real>::Bits of(typename Number<Set, Real>::Bits bits) noexcept { return bits; }
};

template <class Set, class From, bool swap_from, class To, bool swap_to>
void copy_numbers(const std::byte* __restrict from, std::byte* __restrict to, std::size_t numbers) noexcept {
  for (std::size_t i = 0; i < numbers; ++i) {
    typename Number<Set, From>::Bits in;
    std::memcpy(&in, from + i * sizeof in, sizeof in);
    if constexpr (swap_from) in = Number<Set, From>::swapped(in);
    auto out = Conversion<Set, From, To>::of(in);
    if constexpr (swap_to) out = Number<Set, To>::swapped(out);
    std::memcpy(to + i * sizeof out, &out, sizeof out);
  }
}

template <class Set, class Real>
void copy_bytes(const std::byte* from, std::byte* to, std::size_t numbers) noexcept {
  // A rank without sites may pass a null pointer.
  if (numbers > 0) std::memcpy(to, from, numbers * sizeof(Real));
}

template <class Set, class Real>
void turn_numbers(std::byte* numbers, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    typename Number<Set, Real>::Bits bits;
    std::memcpy(&bits, numbers + i * sizeof bits, sizeof bits);
    bits = Number<Set, Real>::swapped(bits);
    std::memcpy(numbers + i * sizeof bits, &bits, sizeof bits);
  }
}

// The sum of the squares of each site's numbers in the file: for links of SU(N) it is known.

inline constexpr std::size_t square_bytes = 32;  // numbers squared per step

template <class Set, class Real>
using Squared = typename NumbersOf<Set, Real, square_bytes / sizeof(Real)>::Type;

// Swaps the byte order of the numbers in `bytes`; number by number without a byte shuffle instruction.
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
    typename Number<Set, Real>::Bits bits;
    std::memcpy(&bits, bytes + at, sizeof bits);
    bits = Number<Set, Real>::swapped(bits);
    std::memcpy(bytes + at, &bits, sizeof bits);
  }
#endif
}

template <class Set, class Real, bool swapped>
[[gnu::always_inline]] inline void add_squares(const std::byte* numbers, std::size_t bytes,
                                               Squared<Set, Real>& sum) noexcept {
  unsigned char read[square_bytes] = {};
  std::memcpy(read, numbers, bytes);
  if constexpr (swapped) turn_vector<Set, Real>(read);
  Squared<Set, Real> x;
  std::memcpy(&x, read, sizeof x);
  sum += x * x;
}

template <class Set, class Real, bool swapped>
std::size_t first_beyond(const std::byte* bytes, std::size_t numbers, std::size_t sites, double least,
                         double most) noexcept {
  const std::size_t site_bytes = numbers * sizeof(Real);
  for (std::size_t site = 0; site < sites; ++site, bytes += site_bytes) {
    Squared<Set, Real> one = {}, two = {};
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

// Products with constants of GF(2^8), added to the existing bytes: each half byte is looked up in a table of 16 bytes,
// a whole vector at a time.

// Byte by byte: for any machine, and for the rest after the last vector.
template <class Set>
void add_products_by_bytes(const std::byte* tables, std::size_t count, const std::byte* from, std::byte* const* to,
                           std::size_t begin, std::size_t end) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    const std::byte* const low = tables + k * product_table_bytes;
    const std::byte* const high = low + product_table_bytes / 2;
    std::byte* const sums = to[k];
    for (std::size_t i = begin; i < end; ++i) {
      const auto byte = static_cast<unsigned char>(from[i]);
      sums[i] ^= low[byte & 15U] ^ high[byte >> 4U];
    }
  }
}

template <class Set>
void add_products_plainly(const std::byte* tables, std::size_t count, const std::byte* from, std::byte* const* to,
                          std::size_t bytes) noexcept {
  add_products_by_bytes<Set>(tables, count, from, to, 0, bytes);
}

template <class V>
inline typename V::Reg product_of(typename V::Reg low_table, typename V::Reg high_table, typename V::Reg low,
                                  typename V::Reg high) noexcept {
  return V::add(V::looked_up(low_table, low), V::looked_up(high_table, high));
}

// Two sums at a time, so that the bytes read are split only once for both.
template <class V>
void add_products(const std::byte* tables, std::size_t count, const std::byte* from, std::byte* const* to,
                  std::size_t bytes) noexcept {
  const typename V::Reg halves = V::same(0x0f0f0f0f0f0f0f0fULL);
  const std::size_t whole = bytes / V::bytes * V::bytes;
  std::size_t k = 0;
  for (; k + 2 <= count; k += 2) {
    const std::byte* const table = tables + k * product_table_bytes;
    const typename V::Reg low_a = V::repeated(table), high_a = V::repeated(table + 16);
    const typename V::Reg low_b = V::repeated(table + 32), high_b = V::repeated(table + 48);
    std::byte *const a = to[k], *const b = to[k + 1];
    for (std::size_t i = 0; i < whole; i += V::bytes) {
      const typename V::Reg in = V::load(from + i);
      const typename V::Reg low = V::both(in, halves), high = V::both(V::lowered_by_4(in), halves);
      V::store(a + i, V::add(V::load(a + i), product_of<V>(low_a, high_a, low, high)));
      V::store(b + i, V::add(V::load(b + i), product_of<V>(low_b, high_b, low, high)));
    }
  }
  if (k < count) {
    const std::byte* const table = tables + k * product_table_bytes;
    const typename V::Reg low_a = V::repeated(table), high_a = V::repeated(table + 16);
    std::byte* const a = to[k];
    for (std::size_t i = 0; i < whole; i += V::bytes) {
      const typename V::Reg in = V::load(from + i);
      const typename V::Reg low = V::both(in, halves), high = V::both(V::lowered_by_4(in), halves);
      V::store(a + i, V::add(V::load(a + i), product_of<V>(low_a, high_a, low, high)));
    }
  }
  add_products_by_bytes<V>(tables, count, from, to, whole, bytes);
}

template <class Set>
constexpr Loops number_loops() noexcept {
  return {{{{copy_bytes<Set, float>, copy_numbers<Set, float, true, float, false>,
             copy_numbers<Set, float, false, float, true>},
            {copy_numbers<Set, float, false, double, false>, copy_numbers<Set, float, true, double, false>,
             copy_numbers<Set, float, false, double, true>}},
           {{copy_numbers<Set, double, false, float, false>, copy_numbers<Set, double, true, float, false>,
             copy_numbers<Set, double, false, float, true>},
            {copy_bytes<Set, double>, copy_numbers<Set, double, true, double, false>,
             copy_numbers<Set, double, false, double, true>}}},
          {turn_numbers<Set, float>, turn_numbers<Set, double>},
          {sites_to_rows<Set, float>, sites_to_rows<Set, double>},
          {{plaquette_terms<Set, 2, float>, plaquette_terms<Set, 3, float>},
           {plaquette_terms<Set, 2, double>, plaquette_terms<Set, 3, double>}},
          {{link_distances<Set, 2, float>, link_distances<Set, 3, float>},
           {link_distances<Set, 2, double>, link_distances<Set, 3, double>}},
          take_roots<Set>,
          sum_small_terms<Set>,
          {sum_words<Set, false>, sum_words<Set, true>},
          {{first_beyond<Set, float, false>, first_beyond<Set, float, true>},
           {first_beyond<Set, double, false>, first_beyond<Set, double, true>}},
          add_products_plainly<Set>};
}

}  // namespace lq::kernels::isa
