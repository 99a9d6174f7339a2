// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Products of links for a few sites at once, and the turning of sites into rows of numbers that these need. `Set` is a
// type local to the file that includes this, so that its instances are, too (see loops.hpp).
#pragma once

#include <cstring>

#include "kernels/isa/loops.hpp"

namespace lq::kernels::isa {

template <class Set>
struct Doubles {
// What a set without registers of this size has is lowered to smaller ones by the compiler.
#if defined(__AVX512F__)
  static constexpr std::size_t count = 8;
#else
  static constexpr std::size_t count = 4;
#endif
  using Vector = double __attribute__((vector_size(count * sizeof(double))));
};

// The sums of a product are taken as physics/su_n.hpp takes them, so that the bits are the same.
template <class Set, int colors>
void plaquette_rows(const PlaquetteRows& rows, std::size_t stride, std::size_t sites, double* traces) noexcept {
  using Vector = typename Doubles<Set>::Vector;
  constexpr std::size_t n = colors;
  const auto load = [](const double* from, Vector& to) { std::memcpy(&to, from, sizeof to); };
  for (std::size_t s = 0; s < sites; s += Doubles<Set>::count) {
    Vector trace = {};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        Vector re[2], im[2];
        for (std::size_t side = 0; side < 2; ++side) {
          Vector re_re = {}, im_im = {}, re_im = {}, im_re = {};
          for (std::size_t k = 0; k < n; ++k) {
            Vector a_re, a_im, b_re, b_im;
            load(rows.first[side] + 2 * (i * n + k) * stride + s, a_re);
            load(rows.first[side] + (2 * (i * n + k) + 1) * stride + s, a_im);
            load(rows.second[side] + 2 * (k * n + j) * stride + s, b_re);
            load(rows.second[side] + (2 * (k * n + j) + 1) * stride + s, b_im);
            re_re += a_re * b_re;
            im_im += a_im * b_im;
            re_im += a_re * b_im;
            im_re += a_im * b_re;
          }
          re[side] = re_re - im_im;
          im[side] = re_im + im_re;
        }
        trace += re[0] * re[1];
        trace += im[0] * im[1];
      }
    }
    std::memcpy(traces + s, &trace, sizeof trace);
  }
}

// Four numbers, whose size does not depend on the set.
template <class Set>
using Four = double __attribute__((vector_size(4 * sizeof(double))));

template <class Set, class Real>
void load_four(const std::byte* from, Four<Set>& to) noexcept {
  Real numbers __attribute__((vector_size(4 * sizeof(Real))));
  std::memcpy(&numbers, from, sizeof numbers);
  to = __builtin_convertvector(numbers, Four<Set>);
}

// Four numbers of four sites, from the first of them: four sites of four numbers.
template <class Set, class Real>
void turn_square(const std::byte* memory, std::size_t site_bytes, double* rows, std::size_t stride) noexcept {
  Four<Set> a, b, c, d;
  load_four<Set, Real>(memory, a);
  load_four<Set, Real>(memory + site_bytes, b);
  load_four<Set, Real>(memory + 2 * site_bytes, c);
  load_four<Set, Real>(memory + 3 * site_bytes, d);
  const Four<Set> even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                  odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four<Set> even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                  odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  const Four<Set> turned[4] = {
      __builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5), __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5),
      __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7), __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7)};
  for (std::size_t k = 0; k < 4; ++k) std::memcpy(rows + k * stride, &turned[k], sizeof turned[k]);
}

template <class Set, class Real>
void sites_to_rows(const std::byte* memory, std::size_t numbers, std::size_t sites, double* rows,
                   std::size_t stride) noexcept {
  const std::size_t site_bytes = numbers * sizeof(Real);
  const auto turn_one = [&](std::size_t site, std::size_t k) {
    Real value;
    std::memcpy(&value, memory + site * site_bytes + k * sizeof value, sizeof value);
    rows[k * stride + site] = static_cast<double>(value);
  };
  std::size_t s = 0;
  for (; s + 4 <= sites; s += 4) {
    std::size_t k = 0;
    for (; k + 4 <= numbers; k += 4) {
      turn_square<Set, Real>(memory + s * site_bytes + k * sizeof(Real), site_bytes, rows + k * stride + s, stride);
    }
    for (; k < numbers; ++k) {
      for (std::size_t i = 0; i < 4; ++i) turn_one(s + i, k);
    }
  }
  for (; s < sites; ++s) {
    for (std::size_t k = 0; k < numbers; ++k) turn_one(s, k);
  }
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
