// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// SU(3) matrices out of eight of their real numbers (formats/squeezed.md 5), many links at once. Only + - * / and the
// square root of IEEE double precision, in a fixed order and without contraction: every machine gets the same bits.
// Inline, so that each instruction set gets its own.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lq::archive {

// Links that are computed together.
inline constexpr std::size_t lanes = 64;
using Lane = std::array<double, lanes>;

// Which numbers of a link are left out. Lanes that hold no link have a zero everywhere.
struct Dropped {
  std::array<std::uint8_t, lanes> first{};   // of the six reals of row 0, the largest
  std::array<std::uint8_t, lanes> second{};  // of row 1: bit 1: of which of the two columns, bit 0: imaginary part
  Lane first_sign{}, root_sign{};            // 1 or -1
};

struct alignas(64) LinkBatch {
  Dropped dropped;
  std::array<Lane, 8> kept{};  // five of row 0 in order; of row 1: the dropped one's partner, then the other column's
  std::array<Lane, 6> row0{}, row1{}, row2{};  // re, im of each column

  // What each step predicts; the caller puts the exact numbers in its place before the next one.
  Lane first{}, second{};       // the dropped number of row 0, that of row 1
  std::array<Lane, 2> pivot{};  // of row 1, in the column where row 0 is largest

  // Row 0 without its dropped number gives that number.
  void predict_first() noexcept;
  // Row 0 whole, and its largest column; then the dropped number of row 1.
  void assemble_row0() noexcept;
  void predict_second() noexcept;
  // Row 1 except for its pivot gives that.
  void predict_pivot() noexcept;
  // Row 1 whole gives row 2.
  void assemble_row1() noexcept;
  void predict_row2() noexcept;

  // For who drops numbers: row 0 and row 1 are whole; fills `dropped` and `kept`.
  void choose_first() noexcept;
  void choose_second() noexcept;

  // Where row 0 is largest, known after assemble_row0().
  std::array<std::uint8_t, lanes> column{};
  // In which of the other two columns the number of row 1 is dropped.
  static constexpr std::size_t column_of_second(std::size_t largest, std::uint8_t second) noexcept {
    const std::size_t left = largest == 0 ? 1 : 0, right = largest == 2 ? 1 : 2;
    return second < 2 ? left : right;
  }

 private:
  struct Quadratic {
    Lane a, b, discriminant;
  };
  struct Columns {
    std::array<Lane, 2> pivot, other, mine;  // of row 0: the largest, the one with both reals kept, the dropped one's
  };
  void find_columns() noexcept;
  void gather() noexcept;
  static void quadratic(const Columns& of, const Lane& swapped, const Lane& partner, const std::array<Lane, 2>& other,
                        Quadratic& result) noexcept;

  Columns columns_{};
  Lane swapped_{};  // 1 where the imaginary part is dropped
};

namespace detail {

struct Places {
  std::size_t mine, other;  // columns of the dropped number and of the kept pair
};

// The two columns that are not `pivot`; bit 1 of `second` says in which of them a number is dropped.
inline Places places(std::size_t pivot, std::uint8_t second) noexcept {
  const std::size_t mine = LinkBatch::column_of_second(pivot, second);
  return {mine, 3 - pivot - mine};
}

inline double select(double condition, double yes, double no) noexcept { return condition != 0 ? yes : no; }

}  // namespace detail

inline void LinkBatch::predict_first() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double sum = ((kept[0][l] * kept[0][l] + kept[1][l] * kept[1][l]) + kept[2][l] * kept[2][l]) +
                       (kept[3][l] * kept[3][l] + kept[4][l] * kept[4][l]);
    const double rest = 1.0 - sum;
    first[l] = dropped.first_sign[l] * std::sqrt(rest > 0 ? rest : 0.0);
  }
}

inline void LinkBatch::assemble_row0() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::size_t at = dropped.first[l];
    for (std::size_t i = 0; i < 5; ++i) row0[i + (i >= at ? 1 : 0)][l] = kept[i][l];
    row0[at][l] = first[l];
  }
  find_columns();
}

inline void LinkBatch::find_columns() noexcept {
  Lane norms[3];
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t l = 0; l < lanes; ++l) {
      norms[c][l] = row0[2 * c][l] * row0[2 * c][l] + row0[2 * c + 1][l] * row0[2 * c + 1][l];
    }
  }
  for (std::size_t l = 0; l < lanes; ++l) {
    const bool one = norms[1][l] > norms[0][l];
    const double best = one ? norms[1][l] : norms[0][l];
    column[l] = static_cast<std::uint8_t>(norms[2][l] > best ? 2 : one ? 1 : 0);
  }
}

inline void LinkBatch::gather() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::size_t k = column[l];
    const detail::Places at = detail::places(k, dropped.second[l]);
    for (std::size_t part = 0; part < 2; ++part) {
      columns_.pivot[part][l] = row0[2 * k + part][l];
      columns_.mine[part][l] = row0[2 * at.mine + part][l];
      columns_.other[part][l] = row0[2 * at.other + part][l];
    }
    swapped_[l] = dropped.second[l] & 1;
  }
}

// With a, b of rows 0 and 1; k the pivot, m the column of the dropped x, o the other one, y the partner of x:
// b_k = -(conj(a_m) b_m + conj(a_o) b_o) / conj(a_k) and |b_k|^2 + |b_m|^2 + |b_o|^2 = 1 are a x^2 + 2 b x + c = 0.
inline void LinkBatch::quadratic(const Columns& of, const Lane& swapped, const Lane& partner,
                                 const std::array<Lane, 2>& other, Quadratic& result) noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double pivot = of.pivot[0][l] * of.pivot[0][l] + of.pivot[1][l] * of.pivot[1][l];
    const double mine = of.mine[0][l] * of.mine[0][l] + of.mine[1][l] * of.mine[1][l];
    const double qr = of.other[0][l] * other[0][l] + of.other[1][l] * other[1][l];  // conj(a_o) b_o
    const double qi = of.other[0][l] * other[1][l] - of.other[1][l] * other[0][l];
    const double gr = of.mine[0][l] * qr - of.mine[1][l] * qi;  // a_m conj(a_o) b_o
    const double gi = of.mine[0][l] * qi + of.mine[1][l] * qr;
    const double gx = detail::select(swapped[l], gi, gr), gy = detail::select(swapped[l], gr, gi);
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
  gather();
  Quadratic equation;
  quadratic(columns_, swapped_, kept[5], {kept[6], kept[7]}, equation);
  for (std::size_t l = 0; l < lanes; ++l) {
    const double inside = equation.discriminant[l] > 0 ? equation.discriminant[l] : 0.0;
    second[l] = (dropped.root_sign[l] * std::sqrt(inside) - equation.b[l]) / equation.a[l];
  }
}

inline void LinkBatch::predict_pivot() noexcept {
  const auto& [k, o, m] = columns_;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double re = detail::select(swapped_[l], kept[5][l], second[l]),
                 im = detail::select(swapped_[l], second[l], kept[5][l]);
    const double sr = (m[0][l] * re + m[1][l] * im) + (o[0][l] * kept[6][l] + o[1][l] * kept[7][l]);
    const double si = (m[0][l] * im - m[1][l] * re) + (o[0][l] * kept[7][l] - o[1][l] * kept[6][l]);
    const double norm = k[0][l] * k[0][l] + k[1][l] * k[1][l];
    pivot[0][l] = (si * k[1][l] - sr * k[0][l]) / norm;
    pivot[1][l] = -(sr * k[1][l] + si * k[0][l]) / norm;
  }
}

inline void LinkBatch::assemble_row1() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::size_t k = column[l], imaginary = dropped.second[l] & 1;
    const detail::Places at = detail::places(k, dropped.second[l]);
    row1[2 * k][l] = pivot[0][l];
    row1[2 * k + 1][l] = pivot[1][l];
    row1[2 * at.mine + imaginary][l] = second[l];
    row1[2 * at.mine + 1 - imaginary][l] = kept[5][l];
    row1[2 * at.other][l] = kept[6][l];
    row1[2 * at.other + 1][l] = kept[7][l];
  }
}

inline void LinkBatch::predict_row2() noexcept {
  constexpr std::size_t next[3] = {1, 2, 0};
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t i = 2 * next[c], j = 2 * next[next[c]];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double re = (row0[i][l] * row1[j][l] - row0[i + 1][l] * row1[j + 1][l]) -
                        (row0[j][l] * row1[i][l] - row0[j + 1][l] * row1[i + 1][l]);
      const double im = (row0[i][l] * row1[j + 1][l] + row0[i + 1][l] * row1[j][l]) -
                        (row0[j][l] * row1[i + 1][l] + row0[j + 1][l] * row1[i][l]);
      row2[2 * c][l] = re;
      row2[2 * c + 1][l] = -im;
    }
  }
}

inline void LinkBatch::choose_first() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    std::size_t at = 0;
    double largest = std::fabs(row0[0][l]);
    for (std::size_t i = 1; i < 6; ++i) {
      const double size = std::fabs(row0[i][l]);
      if (size > largest) {
        largest = size;
        at = i;
      }
    }
    dropped.first[l] = static_cast<std::uint8_t>(at);
    dropped.first_sign[l] = std::signbit(row0[at][l]) ? -1.0 : 1.0;
    for (std::size_t i = 0; i < 5; ++i) kept[i][l] = row0[i + (i >= at ? 1 : 0)][l];
  }
  find_columns();
}

// Of the four candidates the one whose square root is largest beside the coefficient: the best conditioned.
inline void LinkBatch::choose_second() noexcept {
  std::array<Columns, 2> columns;                 // the dropped number in the left one, in the right one
  std::array<std::array<Lane, 2>, 2> second_row;  // of row 1, in the same
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::size_t k = column[l], left = column_of_second(k, 0), right = 3 - k - left;
    for (std::size_t part = 0; part < 2; ++part) {
      columns[0].pivot[part][l] = row0[2 * k + part][l];
      columns[0].mine[part][l] = row0[2 * left + part][l];
      columns[0].other[part][l] = row0[2 * right + part][l];
      second_row[0][part][l] = row1[2 * left + part][l];
      second_row[1][part][l] = row1[2 * right + part][l];
    }
  }
  columns[1] = {columns[0].pivot, columns[0].mine, columns[0].other};
  Lane best;
  best.fill(-1);
  Lane chosen{};  // as a number, so that all of it is of one width
  for (std::size_t candidate = 0; candidate < 4; ++candidate) {
    const std::size_t mine = candidate / 2, imaginary = candidate % 2;
    swapped_.fill(imaginary == 0 ? 0 : 1);
    const Lane& dropped_one = second_row[mine][imaginary];
    Quadratic equation;
    quadratic(columns[mine], swapped_, second_row[mine][1 - imaginary], second_row[1 - mine], equation);
    for (std::size_t l = 0; l < lanes; ++l) {
      const double quality = equation.discriminant[l] / (equation.a[l] * equation.a[l]);
      const bool better = candidate == 0 || quality > best[l];
      const double sign = equation.a[l] * dropped_one[l] + equation.b[l] < 0 ? -1.0 : 1.0;
      best[l] = quality > best[l] ? quality : best[l];
      chosen[l] = better ? static_cast<double>(candidate) : chosen[l];
      dropped.root_sign[l] = better ? sign : dropped.root_sign[l];
    }
  }
  for (std::size_t l = 0; l < lanes; ++l) dropped.second[l] = static_cast<std::uint8_t>(chosen[l]);
  for (std::size_t l = 0; l < lanes; ++l) {
    const detail::Places at = detail::places(column[l], dropped.second[l]);
    kept[5][l] = row1[2 * at.mine + 1 - (dropped.second[l] & 1)][l];
    kept[6][l] = row1[2 * at.other][l];
    kept[7][l] = row1[2 * at.other + 1][l];
  }
}

}  // namespace lq::archive
