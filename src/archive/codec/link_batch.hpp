// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Computes SU(3) matrices from eight of their real numbers (formats/squeezed.md 5), many links at once. Uses only + - *
// / and the square root of IEEE double precision, in a fixed order and without contraction: every machine gets the same
// bits. Inline, so that it is compiled for each instruction set.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lq::archive {

// Links that are computed together.
inline constexpr std::size_t lanes = 64;
using Lane = std::array<double, lanes>;

// Selects by a mask, because dependent choices would become branches, which vectors do not have.
inline double select(bool condition, double yes, double no) noexcept {
  const std::uint64_t mask = 0 - static_cast<std::uint64_t>(condition);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(yes) & mask) | (std::bit_cast<std::uint64_t>(no) & ~mask));
}

// The numbers of a link that are dropped, as floating-point numbers, so that loops use one type of vector. Unused lanes
// are zero.
struct DroppedNumbers {
  Lane first{};                    // the largest of the six reals of row 0
  Lane column{};                   // row 1: 0 or 1: in the left or the right one of the two columns without the pivot
  Lane imaginary{};                // 1: its imaginary part
  Lane first_sign{}, root_sign{};  // 1 or -1
};

struct alignas(64) LinkBatch {
  DroppedNumbers dropped;
  std::array<Lane, 8> kept{};    // five of row 0 in order; row 1: the partner of the dropped one, then the other column
  std::array<Lane, 18> reals{};  // row by row, re and im of each column
  Lane& row2(std::size_t i) noexcept { return reals[12 + i]; }

  // Predictions of each step; the caller replaces them by the exact numbers before the next step.
  Lane first{}, second{};       // the dropped numbers of rows 0 and 1
  std::array<Lane, 2> pivot{};  // in row 1, in the column where row 0 is largest

  // Predicts the dropped number of row 0 from the rest of the row.
  void predict_first() noexcept;
  // Completes row 0 and finds its largest column; then predicts the dropped number of row 1.
  void assemble_row0() noexcept;
  void predict_second() noexcept;
  // Predicts the pivot of row 1 from the rest of the row.
  void predict_pivot() noexcept;
  // Computes row 2 from the complete row 1.
  void assemble_row1() noexcept;
  void predict_row2() noexcept;

  // For the encoder: rows 0 and 1 are complete; fills `dropped` and `kept`, and `exact` with the numbers that the steps
  // predict: first, second, pivot.
  void choose() noexcept;
  std::array<Lane, 4> exact{};

 private:
  struct Quadratic {
    Lane a, b, discriminant;
  };
  using Column = std::array<Lane, 2>;
  struct Columns {
    Column pivot, other,
        mine;  // columns by row 0: the largest, the one with both reals kept, that of the dropped number
  };
  void find_columns() noexcept;
  // Compile-time indices: loops whose arrays might overlap would not be vectorised.
  template <std::size_t i>
  void place_in_row0() noexcept;
  template <std::size_t part>
  void place_in_row1() noexcept;
  // The column of the pivot of row 0 or 1, the one to the left of it or 0, the one to the right or 2.
  void split(std::size_t row, Column& at_pivot, Column& left, Column& right) const noexcept;
  void choose_first() noexcept;
  void choose_second() noexcept;
  static void quadratic(const Columns& of, const Lane& imaginary, const Lane& partner, const Column& other,
                        Quadratic& result) noexcept;

  Lane largest_{};  // column in which row 0 is largest; set by assemble_row0()
  Columns columns_{};
};

inline void LinkBatch::predict_first() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double sum = ((kept[0][l] * kept[0][l] + kept[1][l] * kept[1][l]) + kept[2][l] * kept[2][l]) +
                       (kept[3][l] * kept[3][l] + kept[4][l] * kept[4][l]);
    const double rest = 1.0 - sum;
    first[l] = dropped.first_sign[l] * std::sqrt(rest > 0 ? rest : 0.0);
  }
}

template <std::size_t i>
void LinkBatch::place_in_row0() noexcept {
  constexpr double place = i;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double at = dropped.first[l];
    const double other = select(at > place, kept[i == 5 ? 4 : i][l], kept[i == 0 ? 0 : i - 1][l]);
    reals[i][l] = select(at == place, first[l], other);
  }
}

inline void LinkBatch::assemble_row0() noexcept {
  place_in_row0<0>();
  place_in_row0<1>();
  place_in_row0<2>();
  place_in_row0<3>();
  place_in_row0<4>();
  place_in_row0<5>();
  find_columns();
}

inline void LinkBatch::find_columns() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double norm0 = reals[0][l] * reals[0][l] + reals[1][l] * reals[1][l];
    const double norm1 = reals[2][l] * reals[2][l] + reals[3][l] * reals[3][l];
    const double norm2 = reals[4][l] * reals[4][l] + reals[5][l] * reals[5][l];
    const double best = select(norm1 > norm0, norm1, norm0);
    const double place = select(norm1 > norm0, 1.0, 0.0);
    largest_[l] = select(norm2 > best, 2.0, place);
  }
}

inline void LinkBatch::split(std::size_t row, Column& at_pivot, Column& left, Column& right) const noexcept {
  for (std::size_t part = 0; part < 2; ++part) {
    const Lane &zero = reals[6 * row + part], &one = reals[6 * row + 2 + part], &two = reals[6 * row + 4 + part];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double k = largest_[l], x = zero[l], y = one[l], z = two[l];
      const double below_two = select(k == 1.0, y, x);
      at_pivot[part][l] = select(k == 2.0, z, below_two);
      left[part][l] = select(k == 0.0, y, x);
      right[part][l] = select(k == 2.0, y, z);
    }
  }
}

// With a, b of rows 0 and 1; k the pivot, m the column of the dropped x, o the other one, y the partner of x:
// b_k = -(conj(a_m) b_m + conj(a_o) b_o) / conj(a_k) and |b_k|^2 + |b_m|^2 + |b_o|^2 = 1 are a x^2 + 2 b x + c = 0.
inline void LinkBatch::quadratic(const Columns& of, const Lane& imaginary, const Lane& partner, const Column& other,
                                 Quadratic& result) noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double pivot = of.pivot[0][l] * of.pivot[0][l] + of.pivot[1][l] * of.pivot[1][l];
    const double mine = of.mine[0][l] * of.mine[0][l] + of.mine[1][l] * of.mine[1][l];
    const double qr = of.other[0][l] * other[0][l] + of.other[1][l] * other[1][l];  // conj(a_o) b_o
    const double qi = of.other[0][l] * other[1][l] - of.other[1][l] * other[0][l];
    const double gr = of.mine[0][l] * qr - of.mine[1][l] * qi;  // a_m conj(a_o) b_o
    const double gi = of.mine[0][l] * qi + of.mine[1][l] * qr;
    const double gx = select(imaginary[l] != 0, gi, gr), gy = select(imaginary[l] != 0, gr, gi);
    const double y = partner[l];
    const double a = mine + pivot;
    const double rest = (other[0][l] * other[0][l] + other[1][l] * other[1][l]) - 1.0;
    const double c = ((a * y) * y + (2.0 * gy) * y) + ((qr * qr + qi * qi) + pivot * rest);
    result.a[l] = a;
    result.b[l] = gx;
    result.discriminant[l] = gx * gx - a * c;
  }
}

inline void LinkBatch::predict_second() noexcept {
  Column left, right;
  split(0, columns_.pivot, left, right);
  for (std::size_t part = 0; part < 2; ++part) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const double column = dropped.column[l], x = left[part][l], y = right[part][l];
      columns_.mine[part][l] = select(column != 0, y, x);
      columns_.other[part][l] = select(column != 0, x, y);
    }
  }
  Quadratic equation;
  quadratic(columns_, dropped.imaginary, kept[5], {kept[6], kept[7]}, equation);
  for (std::size_t l = 0; l < lanes; ++l) {
    const double inside = equation.discriminant[l] > 0 ? equation.discriminant[l] : 0.0;
    second[l] = (dropped.root_sign[l] * std::sqrt(inside) - equation.b[l]) / equation.a[l];
  }
}

inline void LinkBatch::predict_pivot() noexcept {
  const auto& [k, o, m] = columns_;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double partner = kept[5][l], found = second[l], imaginary = dropped.imaginary[l];
    const double re = select(imaginary != 0, partner, found), im = select(imaginary != 0, found, partner);
    const double sr = (m[0][l] * re + m[1][l] * im) + (o[0][l] * kept[6][l] + o[1][l] * kept[7][l]);
    const double si = (m[0][l] * im - m[1][l] * re) + (o[0][l] * kept[7][l] - o[1][l] * kept[6][l]);
    const double norm = k[0][l] * k[0][l] + k[1][l] * k[1][l];
    pivot[0][l] = (si * k[1][l] - sr * k[0][l]) / norm;
    pivot[1][l] = -(sr * k[1][l] + si * k[0][l]) / norm;
  }
}

template <std::size_t part>
void LinkBatch::place_in_row1() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double mine = select(dropped.imaginary[l] == static_cast<double>(part), second[l], kept[5][l]);
    const double other = kept[6 + part][l], here = pivot[part][l], k = largest_[l];
    const double left = select(dropped.column[l] != 0, other, mine),
                 right = select(dropped.column[l] != 0, mine, other);
    reals[6 + part][l] = select(k == 0.0, here, left);
    reals[8 + part][l] = select(k == 1.0, here, select(k == 0.0, left, right));
    reals[10 + part][l] = select(k == 2.0, here, right);
  }
}

inline void LinkBatch::assemble_row1() noexcept {
  place_in_row1<0>();
  place_in_row1<1>();
}

inline void LinkBatch::predict_row2() noexcept {
  constexpr std::size_t next[3] = {1, 2, 0};
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t i = 2 * next[c], j = 2 * next[next[c]];
    const Lane &ar = reals[i], &ai = reals[i + 1], &br = reals[j], &bi = reals[j + 1];
    const Lane &cr = reals[6 + i], &ci = reals[7 + i], &dr = reals[6 + j], &di = reals[7 + j];
    Lane &to_re = reals[12 + 2 * c], &to_im = reals[13 + 2 * c];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double re = (ar[l] * dr[l] - ai[l] * di[l]) - (br[l] * cr[l] - bi[l] * ci[l]);
      const double im = (ar[l] * di[l] + ai[l] * dr[l]) - (br[l] * ci[l] + bi[l] * cr[l]);
      to_re[l] = re;
      to_im[l] = -im;
    }
  }
}

inline void LinkBatch::choose() noexcept {
  choose_first();
  find_columns();
  choose_second();
}

inline void LinkBatch::choose_first() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    double at = 0, number = reals[0][l];
    for (std::size_t i = 1; i < 6; ++i) {
      const double other = reals[i][l];
      const bool is_larger = std::fabs(other) > std::fabs(number);
      at = select(is_larger, static_cast<double>(i), at);
      number = select(is_larger, other, number);
    }
    dropped.first[l] = at;
    exact[0][l] = number;
    dropped.first_sign[l] = std::copysign(1.0, number);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const double here = reals[i][l], next = reals[i + 1][l];
      kept[i][l] = select(dropped.first[l] > static_cast<double>(i), here, next);
    }
  }
}

// Chooses the candidate whose square root is largest relative to the coefficient: the best conditioned one.
inline void LinkBatch::choose_second() noexcept {
  std::array<Columns, 2> columns;    // the dropped number in the left one, in the right one
  std::array<Column, 2> candidates;  // of row 1, in the same
  split(0, columns[0].pivot, columns[0].mine, columns[0].other);
  columns[1] = {columns[0].pivot, columns[0].mine, columns[0].other};
  Column exact_pivot;
  split(1, exact_pivot, candidates[0], candidates[1]);
  exact[2] = exact_pivot[0];
  exact[3] = exact_pivot[1];
  Lane best, is_better, signs;
  best.fill(-1);
  for (std::size_t candidate = 0; candidate < 4; ++candidate) {
    const std::size_t mine = candidate / 2, part = candidate % 2;
    const Lane &dropped_one = candidates[mine][part], &partner = candidates[mine][1 - part];
    const Column& other = candidates[1 - mine];
    Lane imaginary;
    imaginary.fill(static_cast<double>(part));
    Quadratic equation;
    quadratic(columns[mine], imaginary, partner, other, equation);
    for (std::size_t l = 0; l < lanes; ++l) {
      const double quality = equation.discriminant[l] / (equation.a[l] * equation.a[l]);
      const double sign = select(equation.a[l] * dropped_one[l] + equation.b[l] < 0, -1.0, 1.0);
      is_better[l] = select((quality > best[l]) | (candidate == 0), 1.0, 0.0);
      best[l] = select(quality > best[l], quality, best[l]);
      signs[l] = sign;
    }
    const auto take = [&](const Lane& from, Lane& to) {
      for (std::size_t l = 0; l < lanes; ++l) {
        to[l] = select(is_better[l] != 0, from[l], to[l]);
      }
    };
    Lane column;
    column.fill(static_cast<double>(mine));
    take(signs, dropped.root_sign);
    take(column, dropped.column);
    take(imaginary, dropped.imaginary);
    take(dropped_one, exact[1]);
    take(partner, kept[5]);
    take(other[0], kept[6]);
    take(other[1], kept[7]);
  }
}

}  // namespace lq::archive
