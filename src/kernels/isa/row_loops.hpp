// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Products of links for a few sites at once, the conversion of sites to the rows of numbers that they need, and sums of
// the results. `Set` is a type local to the including file, so that its instances are local too (see loops.hpp).
#pragma once

#include <cstring>

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
};

// A barrier for reads: numbers loaded too early would not find a register.
template <class Set>
[[gnu::always_inline]] inline void read_no_further() noexcept {
  asm volatile("" ::: "memory");
}

// A row of a product. Real and imaginary parts of `a` multiply whole rows of `b` and meet at the end, as in
// physics/su_n.hpp, so that the bits are the same.
template <class Set, std::size_t n, class Real>
[[gnu::always_inline]] inline void multiply_row(const Real* a, const Real* b, typename Doubles<Set>::Vector (&re)[n],
                                                typename Doubles<Set>::Vector (&im)[n]) noexcept {
  using Vector = typename Doubles<Set>::Vector;
  const auto load = [](const Real* matrix, std::size_t number, Vector& to) {
    Doubles<Set>::load(matrix + number * row_lanes, to);
  };
  Vector a_re[n], a_im[n];
#pragma GCC unroll 3
  for (std::size_t k = 0; k < n; ++k) {
    load(a, 2 * k, a_re[k]);
    load(a, 2 * k + 1, a_im[k]);
  }
#pragma GCC unroll 3
  for (std::size_t j = 0; j < n; ++j) {
    read_no_further<Set>();
    Vector b_re, b_im;
    load(b, 2 * j, b_re);
    load(b, 2 * j + 1, b_im);
    Vector re_re = a_re[0] * b_re, im_im = a_im[0] * b_im, re_im = a_re[0] * b_im, im_re = a_im[0] * b_re;
#pragma GCC unroll 3
    for (std::size_t k = 1; k < n; ++k) {
      load(b, 2 * (k * n + j), b_re);
      load(b, 2 * (k * n + j) + 1, b_im);
      re_re += a_re[k] * b_re;
      im_im += a_im[k] * b_im;
      re_im += a_re[k] * b_im;
      im_re += a_im[k] * b_re;
    }
    re[j] = re_re - im_im;
    im[j] = re_im + im_re;
  }
}

// Re Tr (first[0] second[0]) (first[1] second[1])^dagger.
template <class Set, std::size_t n, class Real>
[[gnu::always_inline]] inline void plaquettes(const Real* const (&first)[2], const Real* const (&second)[2],
                                              typename Doubles<Set>::Vector& trace) noexcept {
  trace = typename Doubles<Set>::Vector{};
  for (std::size_t i = 0; i < n; ++i) {
    typename Doubles<Set>::Vector re[2][n], im[2][n];
#pragma GCC unroll 3
    for (std::size_t side = 0; side < 2; ++side) {
      read_no_further<Set>();
      multiply_row<Set, n>(first[side] + 2 * i * n * row_lanes, second[side], re[side], im[side]);
    }
#pragma GCC unroll 3
    for (std::size_t j = 0; j < n; ++j) {
      trace += re[0][j] * re[1][j];
      trace += im[0][j] * im[1][j];
    }
  }
}

// Four numbers, for any set.
template <class Set, class Real>
using Four = typename NumbersOf<Set, Real, 4>::Type;

// Shifts each site's neighbour along the row into its place; the last site gets the first. `here`: eight sites of the
// row, the last of which is number `last` of them; `next`: the following sites, or the first.
template <class Set, class Real>
void shift_sites(const Real* here, const Real* next, std::size_t last, std::size_t numbers, Real* shifted) noexcept {
  for (std::size_t at = 0; at < numbers * row_lanes; at += row_lanes) {
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
    shift_sites<Set>(row + at, is_end ? row : row + at + block, is_end ? rows.sites - 1 - s : row_lanes - 1,
                     block / row_lanes, beside);
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
