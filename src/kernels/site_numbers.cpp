// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory need not be aligned for its numbers.
#include "kernels/site_numbers.hpp"

#include <cstring>

namespace lq::kernels {
namespace {

template <class Number>
void copy_number(const std::byte* from, std::byte* to) noexcept {
  std::memcpy(to, from, sizeof(Number));
}

template <class Number>
void gather(std::span<const std::uint32_t> order, const std::byte* memory, std::ptrdiff_t stride, std::uint64_t sites,
            std::byte* to) noexcept {
  for (std::uint64_t site = 0; site < sites; ++site, memory += stride) {
    for (const std::uint32_t number : order) {
      copy_number<Number>(memory + number * sizeof(Number), to);
      to += sizeof(Number);
    }
  }
}

template <class Number>
void scatter(std::span<const std::uint32_t> order, const std::byte* from, std::uint64_t sites, std::byte* memory,
             std::ptrdiff_t stride) noexcept {
  for (std::uint64_t site = 0; site < sites; ++site, memory += stride) {
    for (const std::uint32_t number : order) {
      copy_number<Number>(from, memory + number * sizeof(Number));
      from += sizeof(Number);
    }
  }
}

template <class Number>
struct Complex {
  Number re, im;
};

// conj(a b - c d)
template <class Number>
Complex<Number> minor(Complex<Number> a, Complex<Number> b, Complex<Number> c, Complex<Number> d) noexcept {
  return {a.re * b.re - a.im * b.im - (c.re * d.re - c.im * d.im),
          -(a.re * b.im + a.im * b.re - (c.re * d.im + c.im * d.re))};
}

template <class Number>
void rebuild(std::byte* at, std::uint64_t matrices) noexcept {
  Complex<Number> u[3][3];
  for (; matrices > 0; --matrices, at += sizeof u) {
    std::memcpy(u, at, sizeof u);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      u[2][k] = minor(u[0][i], u[1][j], u[0][j], u[1][i]);
    }
    std::memcpy(at, u, sizeof u);
  }
}

template <class Number>
void rebuild_columns(std::byte* at, std::uint64_t matrices) noexcept {
  Complex<Number> u[2][2];
  for (; matrices > 0; --matrices, at += sizeof u) {
    std::memcpy(u, at, sizeof u);
    u[0][1] = {-u[1][0].re, u[1][0].im};
    u[1][1] = {u[0][0].re, -u[0][0].im};
    std::memcpy(at, u, sizeof u);
  }
}

}  // namespace

void gather_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* memory,
                    std::ptrdiff_t stride_bytes, std::uint64_t sites, std::byte* to) noexcept {
  if (precision == Precision::single) return gather<float>(order, memory, stride_bytes, sites, to);
  gather<double>(order, memory, stride_bytes, sites, to);
}

void scatter_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* from,
                     std::uint64_t sites, std::byte* memory, std::ptrdiff_t stride_bytes) noexcept {
  if (precision == Precision::single) return scatter<float>(order, from, sites, memory, stride_bytes);
  scatter<double>(order, from, sites, memory, stride_bytes);
}

void rebuild_third_rows(Precision precision, std::byte* matrices_at, std::uint64_t matrices) noexcept {
  if (precision == Precision::single) return rebuild<float>(matrices_at, matrices);
  rebuild<double>(matrices_at, matrices);
}

void rebuild_second_columns(Precision precision, std::byte* matrices_at, std::uint64_t matrices) noexcept {
  if (precision == Precision::single) return rebuild_columns<float>(matrices_at, matrices);
  rebuild_columns<double>(matrices_at, matrices);
}

}  // namespace lq::kernels
