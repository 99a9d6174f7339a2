// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Products of links for a few sites at once, the conversion of sites to the rows of numbers that they need, and sums of
// the results. `Set` is a type local to the including file, so that its instances are local too (see loops.hpp).
#pragma once

#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kernels/isa/loops.hpp"
#include "kernels/isa/vectors.hpp"

namespace lq::kernels::isa {

template <class Set>
struct Doubles {
// The compiler lowers vectors to smaller registers if the set has none of this size.
#if defined(__AVX512F__)
  static constexpr std::size_t count = 8;
#else
  static constexpr std::size_t count = 4;
#endif
  using Vector = typename NumbersOf<Set, double, count>::Type;

  static void load(const double* from, Vector& to) noexcept { std::memcpy(&to, from, sizeof to); }
  static void load(const float* from, Vector& to) noexcept {
    typename NumbersOf<Set, float, count>::Type numbers;
    std::memcpy(&numbers, from, sizeof numbers);
    convert_numbers(numbers, to);
  }

  static void take_roots(Vector& numbers) noexcept {
#if defined(__AVX512F__)
    numbers = _mm512_sqrt_pd(numbers);  // compilers have no such operation on vectors, and would take one by one
#else
    for (std::size_t at = 0; at < count; ++at) numbers[at] = __builtin_sqrt(numbers[at]);
#endif
  }
};

// A barrier for reads: numbers loaded too early would not find a register.
template <class Set>
[[gnu::always_inline]] inline void read_no_further() noexcept {
  asm volatile("" ::: "memory");
}

// Computes or loads numbers here, into a register. Otherwise compilers load them again with each product, which takes
// longer than the arithmetic of 512 bits, and postpone products until registers run out. Only this set has 32 of them.
template <class Vector>
[[gnu::always_inline]] inline void keep_in_register([[maybe_unused]] Vector& numbers) noexcept {
#if defined(__AVX512F__)
  asm volatile("" : "+v"(numbers));
#endif
}

// An element of a product: row `a` with column j of `b`. Real and imaginary parts of the row multiply those of the
// column and meet at the end, as in physics/su_n.hpp, so that the bits are the same.
template <class Set, std::size_t n, class Real>
[[gnu::always_inline]] inline void multiply_column(const typename Doubles<Set>::Vector (&a)[2 * n], const Real* b,
                                                   std::size_t j, typename Doubles<Set>::Vector& re,
                                                   typename Doubles<Set>::Vector& im) noexcept {
  typename Doubles<Set>::Vector re_re, im_im, re_im, im_re;
#pragma GCC unroll 3
  for (std::size_t k = 0; k < n; ++k) {
    typename Doubles<Set>::Vector b_re, b_im;
    Doubles<Set>::load(b + 2 * (k * n + j) * row_lanes, b_re);
    Doubles<Set>::load(b + (2 * (k * n + j) + 1) * row_lanes, b_im);
    keep_in_register(b_re);
    keep_in_register(b_im);
    if (k == 0) {
      re_re = a[0] * b_re, im_im = a[1] * b_im, re_im = a[0] * b_im, im_re = a[1] * b_re;
    } else {
      re_re += a[2 * k] * b_re;
      im_im += a[2 * k + 1] * b_im;
      re_im += a[2 * k] * b_im;
      im_re += a[2 * k + 1] * b_re;
    }
  }
  re = re_re - im_im;
  im = re_im + im_re;
  keep_in_register(re);
  keep_in_register(im);
}

// Re Tr (first[0] second[0]) (first[1] second[1])^dagger.
template <class Set, std::size_t n, class Real>
[[gnu::always_inline]] inline void plaquettes(const Real* const (&first)[2], const Real* const (&second)[2],
                                              typename Doubles<Set>::Vector& trace) noexcept {
  using Vector = typename Doubles<Set>::Vector;
  trace = Vector{};
  for (std::size_t i = 0; i < n; ++i) {
    Vector rows[2][2 * n];
#pragma GCC unroll 12
    for (std::size_t at = 0; at < 4 * n; ++at) {
      Doubles<Set>::load(first[at / (2 * n)] + (2 * i * n + at % (2 * n)) * row_lanes,
                         rows[at / (2 * n)][at % (2 * n)]);
      keep_in_register(rows[at / (2 * n)][at % (2 * n)]);
    }
#pragma GCC unroll 3
    for (std::size_t j = 0; j < n; ++j) {
      Vector re[2], im[2];
#pragma GCC unroll 2
      for (std::size_t side = 0; side < 2; ++side) {
        read_no_further<Set>();
        multiply_column<Set, n>(rows[side], second[side], j, re[side], im[side]);
      }
      trace += re[0] * re[1];
      trace += im[0] * im[1];
    }
  }
}

// Four numbers, for any set.
template <class Set, class Real>
using Four = typename NumbersOf<Set, Real, 4>::Type;

// Shifts each site's neighbour along the row into its place; the last site gets the first. `here`: eight sites of the
// row, the last of which is number `last` of them; `next`: the following sites, or the first.
template <class Set, std::size_t numbers, class Real>
void shift_sites(const Real* here, const Real* next, std::size_t last, Real* shifted) noexcept {
  using Eight = typename NumbersOf<Set, Real, row_lanes>::Type;
  for (std::size_t at = 0; at < numbers * row_lanes; at += row_lanes) {
    if constexpr (Doubles<Set>::count == row_lanes) {
      if (last + 1 == row_lanes) {
        Eight all, behind;
        std::memcpy(&all, here + at, sizeof all);
        std::memcpy(&behind, next + at, sizeof behind);
        shuffle<1, 2, 3, 4, 5, 6, 7, 8>(all, behind, all);
        std::memcpy(shifted + at, &all, sizeof all);
        continue;
      }
    }
    Four<Set, Real> low, high, behind;
    std::memcpy(&low, here + at + 1, sizeof low);
    std::memcpy(&high, here + at + 4, sizeof high);
    std::memcpy(&behind, next + at, sizeof behind);
    shuffle<1, 2, 3, 4>(high, behind, high);
    std::memcpy(shifted + at, &low, sizeof low);
    std::memcpy(shifted + at + 4, &high, sizeof high);
    if (last + 1 == row_lanes) continue;
    shifted[at + last] = next[at];
    shifted[at + row_lanes - 1] = 0;
  }
}

// The following sites, adjacent or further away: the processor sees their links as many short pieces of memory.
template <class Set, std::size_t link, class Real>
void fetch_link(const void* row, std::size_t at) noexcept {
  if (row == nullptr) return;
  const auto from = reinterpret_cast<std::uintptr_t>(row) + at * sizeof(Real);
  for (std::size_t line = 0; line < link * sizeof(Real); line += cache_line) {
    __builtin_prefetch(reinterpret_cast<const void*>(from + line), 0, 3);
  }
}

template <class Set, int colors, class Real>
void plaquette_terms(const PlaquetteRows& rows, double* terms) noexcept {
  constexpr std::size_t n = colors, link = 2 * n * n * row_lanes;
  const std::size_t dimensions = rows.dimensions, block = dimensions * link,
                    padded = (rows.sites + row_lanes - 1) / row_lanes * row_lanes,
                    apart = rows.terms_apart > 0 ? rows.terms_apart : padded;
  const auto* const row = static_cast<const Real*>(rows.here);
  alignas(cache_line) Real beside[most_dimensions * link];
  for (std::size_t s = 0; s < rows.sites; s += row_lanes) {
    const std::size_t at = s / row_lanes * block;
    const bool is_end = s + row_lanes >= rows.sites;
    for (std::size_t mu = 0; mu < dimensions && rows.along < dimensions; ++mu) {
      if (mu == rows.along) continue;
      const Real* const next = is_end ? row : row + at + block;
      shift_sites<Set, link / row_lanes>(row + at + mu * link, next + mu * link,
                                         is_end ? rows.sites - 1 - s : row_lanes - 1, beside + mu * link);
    }
    for (std::size_t lane = 0; lane < row_lanes; lane += Doubles<Set>::count) {
      const Real* const here = row + at + lane;
      const auto above = [&](std::size_t mu) {
        return (mu == rows.along ? beside : static_cast<const Real*>(rows.above[mu]) + at) + lane;
      };
      double* to = terms + s + lane;
      typename Doubles<Set>::Vector trace;
      const auto put_trace = [&] {
        trace /= static_cast<double>(n);
        std::memcpy(to, &trace, sizeof trace);
        to += apart;
      };
      for (std::size_t mu = 0; mu < dimensions; ++mu) {
        for (std::size_t nu = mu + 1; nu < dimensions; ++nu) {
          plaquettes<Set, n, Real>({here + mu * link, here + nu * link}, {above(mu) + nu * link, above(nu) + mu * link},
                                   trace);
          put_trace();
          if (lane == 0) fetch_link<Set, link, Real>(rows.above[mu], at + block + nu * link);
          if (lane + Doubles<Set>::count == row_lanes)
            fetch_link<Set, link, Real>(rows.above[nu], at + block + mu * link);
        }
      }
      for (std::size_t mu = 0; mu < dimensions; ++mu) {
        trace = typename Doubles<Set>::Vector{};
        for (std::size_t i = 0; i < n; ++i) {
          typename Doubles<Set>::Vector diagonal;
          Doubles<Set>::load(here + mu * link + 2 * (n + 1) * i * row_lanes, diagonal);
          trace += diagonal;
        }
        put_trace();
      }
    }
  }
}

// Elements of the matrices of a few sites.
template <class Set, std::size_t n>
struct Matrices {
  typename Doubles<Set>::Vector re[n][n], im[n][n];
};

// The square of the largest |element| of U U^dagger - 1, as in physics/su_n.hpp. Adding the sum of all makes it a NaN
// if one of them is, which a comparison would ignore.
template <class Set, std::size_t n>
[[gnu::always_inline]] inline void largest_square(const Matrices<Set, n>& u,
                                                  typename Doubles<Set>::Vector& largest) noexcept {
  typename Doubles<Set>::Vector sum = {};
  largest = typename Doubles<Set>::Vector{};
#pragma GCC unroll 3
  for (std::size_t i = 0; i < n; ++i) {
#pragma GCC unroll 3
    for (std::size_t j = 0; j <= i; ++j) {
      typename Doubles<Set>::Vector re = {}, im = {};
      if (i == j) re = re - 1.0;
#pragma GCC unroll 3
      for (std::size_t k = 0; k < n; ++k) {
        re += u.re[i][k] * u.re[j][k] + u.im[i][k] * u.im[j][k];
        if (i != j) im += u.im[i][k] * u.re[j][k] - u.re[i][k] * u.im[j][k];
      }
      const typename Doubles<Set>::Vector square = re * re + im * im;
      take_larger(square, largest);
      sum += square;
    }
  }
  largest += sum - sum;
}

// The determinant of two rows, starting at this one, and two columns.
template <class Set, std::size_t n>
[[gnu::always_inline]] inline void minor_of(const Matrices<Set, n>& u, std::size_t row, std::size_t a, std::size_t b,
                                            typename Doubles<Set>::Vector& re,
                                            typename Doubles<Set>::Vector& im) noexcept {
  const auto& [x, y] = u;
  re =
      (x[row][a] * x[row + 1][b] - y[row][a] * y[row + 1][b]) - (x[row][b] * x[row + 1][a] - y[row][b] * y[row + 1][a]);
  im =
      (x[row][a] * y[row + 1][b] + y[row][a] * x[row + 1][b]) - (x[row][b] * y[row + 1][a] + y[row][b] * x[row + 1][a]);
}

// |det U - 1|^2, by the minors of the last two rows.
template <class Set, std::size_t n>
[[gnu::always_inline]] inline void determinant_square(const Matrices<Set, n>& u,
                                                      typename Doubles<Set>::Vector& square) noexcept {
  typename Doubles<Set>::Vector re, im;
  if constexpr (n == 2) {
    minor_of(u, 0, 0, 1, re, im);
  } else {
    re = im = typename Doubles<Set>::Vector{};
#pragma GCC unroll 3
    for (std::size_t j = 0; j < n; ++j) {
      typename Doubles<Set>::Vector minor_re, minor_im;
      minor_of(u, 1, (j + 1) % n, (j + 2) % n, minor_re, minor_im);
      re += u.re[0][j] * minor_re - u.im[0][j] * minor_im;
      im += u.re[0][j] * minor_im + u.im[0][j] * minor_re;
    }
  }
  re = re - 1.0;
  square = re * re + im * im;
}

template <class Set, int colors, class Real>
void link_distances(const void* row, std::size_t dimensions, std::size_t sites, double* from_unitarity,
                    double* from_one) noexcept {
  constexpr std::size_t n = colors, link = 2 * n * n * row_lanes;
  const auto* numbers = static_cast<const Real*>(row);
  const std::size_t padded = (sites + row_lanes - 1) / row_lanes * row_lanes;
  for (std::size_t s = 0; s < sites; s += row_lanes) {
    for (std::size_t mu = 0; mu < dimensions; ++mu, numbers += link) {
      for (std::size_t lane = 0; lane < row_lanes; lane += Doubles<Set>::count) {
        Matrices<Set, n> u;
        for (std::size_t k = 0; k < n * n; ++k) {
          Doubles<Set>::load(numbers + 2 * k * row_lanes + lane, u.re[k / n][k % n]);
          Doubles<Set>::load(numbers + (2 * k + 1) * row_lanes + lane, u.im[k / n][k % n]);
        }
        typename Doubles<Set>::Vector square;
        largest_square(u, square);
        std::memcpy(from_unitarity + mu * padded + s + lane, &square, sizeof square);
        determinant_square(u, square);
        std::memcpy(from_one + mu * padded + s + lane, &square, sizeof square);
      }
    }
  }
}

template <class Set>
void take_roots(double* squares, std::size_t count, double* largest) noexcept {
  using Numbers = Doubles<Set>;
  typename Numbers::Vector most = {}, roots;
  for (std::size_t i = 0; i < count; i += Numbers::count) {
    Numbers::load(squares + i, roots);
    nans_to_infinity(roots);
    Numbers::take_roots(roots);
    std::memcpy(squares + i, &roots, sizeof roots);
    take_larger(roots, most);
  }
  for (std::size_t lane = 0; lane < Numbers::count; ++lane) *largest = most[lane] > *largest ? most[lane] : *largest;
}

// Four numbers of four sites, from the first of them: four sites of four numbers.
template <class Set, class Real>
void turn_square(const std::byte* memory, std::size_t site_bytes, Real* row) noexcept {
  Four<Set, Real> a, b, c, d, even_ab, odd_ab, even_cd, odd_cd, turned[4];
  std::memcpy(&a, memory, sizeof a);
  std::memcpy(&b, memory + site_bytes, sizeof b);
  std::memcpy(&c, memory + 2 * site_bytes, sizeof c);
  std::memcpy(&d, memory + 3 * site_bytes, sizeof d);
  shuffle<0, 4, 2, 6>(a, b, even_ab);
  shuffle<1, 5, 3, 7>(a, b, odd_ab);
  shuffle<0, 4, 2, 6>(c, d, even_cd);
  shuffle<1, 5, 3, 7>(c, d, odd_cd);
  shuffle<0, 1, 4, 5>(even_ab, even_cd, turned[0]);
  shuffle<0, 1, 4, 5>(odd_ab, odd_cd, turned[1]);
  shuffle<2, 3, 6, 7>(even_ab, even_cd, turned[2]);
  shuffle<2, 3, 6, 7>(odd_ab, odd_cd, turned[3]);
  for (std::size_t k = 0; k < 4; ++k) std::memcpy(row + k * row_lanes, &turned[k], sizeof turned[k]);
}

template <class Set, class Real>
void sites_to_rows(const std::byte* memory, std::size_t numbers, std::size_t sites, void* to) noexcept {
  const std::size_t site_bytes = numbers * sizeof(Real);
  auto* row = static_cast<Real*>(to);
  for (std::size_t s = 0; s < sites; s += row_lanes, row += numbers * row_lanes) {
    const std::byte* const from = memory + s * site_bytes;
    const std::size_t count = sites - s < row_lanes ? sites - s : row_lanes;
    const std::size_t squared = count == row_lanes ? numbers / 4 * 4 : 0;
    for (std::size_t k = 0; k < squared; k += 4) {
      // The processor sees the sites as many short pieces of memory: ask for the following ones in order.
      const auto following = reinterpret_cast<std::uintptr_t>(from) + row_lanes * (site_bytes + k * sizeof(Real));
      for (std::size_t line = 0; line < 4 * row_lanes * sizeof(Real); line += cache_line) {
        __builtin_prefetch(reinterpret_cast<const void*>(following + line), 0, 3);
      }
      turn_square<Set, Real>(from + k * sizeof(Real), site_bytes, row + k * row_lanes);
      turn_square<Set, Real>(from + 4 * site_bytes + k * sizeof(Real), site_bytes, row + k * row_lanes + 4);
    }
    for (std::size_t k = squared; k < numbers; ++k) {
      for (std::size_t i = 0; i < row_lanes; ++i) {
        Real value = 0;
        if (i < count) std::memcpy(&value, from + i * site_bytes + k * sizeof value, sizeof value);
        row[k * row_lanes + i] = value;
      }
    }
  }
}

// Each term is rounded to steps of 2^-60, in two parts that fit doubles: sums of 2^20 of either are exact.
template <class Set>
bool sum_small_terms(const double* terms, std::size_t count, double* high, double* low) noexcept {
  using Vector = typename Doubles<Set>::Vector;
  constexpr std::size_t lanes = Doubles<Set>::count;
  constexpr double to_whole = 0x1.8p52;  // adding and subtracting it rounds
  Vector highs = {}, lows = {};
  auto are_small = highs == highs;
  for (std::size_t i = 0; i < count; i += lanes) {
    Vector term;
    Doubles<Set>::load(terms + i, term);
    are_small &= (term >= -2.0) & (term <= 2.0);
    term *= 0x1p30;
    const Vector whole = (term + to_whole) - to_whole;
    highs += whole;
    lows += ((term - whole) * 0x1p30 + to_whole) - to_whole;
  }
  bool is_all = true;
  double all_highs = 0, all_lows = 0;  // stores through pointers would wait for each other
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    all_highs += highs[lane];
    all_lows += lows[lane];
    is_all &= are_small[lane] != 0;
  }
  *high += all_highs;
  *low += all_lows;
  return is_all;
}

template <class Set, bool swapped>
std::uint32_t sum_words(const std::byte* bytes, std::size_t words) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t word;
    std::memcpy(&word, bytes + i * sizeof word, sizeof word);
    sum += swapped ? __builtin_bswap32(word) : word;
  }
  return sum;
}

}  // namespace lq::kernels::isa
