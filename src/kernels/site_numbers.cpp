// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory need not be aligned for its numbers.
#include "kernels/site_numbers.hpp"

#include <cstring>

namespace lq::kernels {
namespace {

// Whether the numbers of `order` follow each other in groups of `count`.
bool is_in_groups_of(std::size_t count, std::span<const std::uint32_t> order) noexcept {
  if (order.size() % count != 0) return false;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k % count != 0 && order[k] != order[k - 1] + 1) return false;
  }
  return true;
}

template <std::size_t bytes>
struct Groups {
  std::size_t count, number_bytes;
  std::span<const std::uint32_t> order;

  void gather(const std::byte* memory, std::ptrdiff_t stride, std::uint64_t sites, std::byte* to) const noexcept {
    for (std::uint64_t site = 0; site < sites; ++site, memory += stride) {
      for (std::size_t k = 0; k < order.size(); k += count, to += bytes) {
        std::memcpy(to, memory + order[k] * number_bytes, bytes);
      }
    }
  }
  void scatter(const std::byte* from, std::uint64_t sites, std::byte* memory, std::ptrdiff_t stride) const noexcept {
    for (std::uint64_t site = 0; site < sites; ++site, memory += stride) {
      for (std::size_t k = 0; k < order.size(); k += count, from += bytes) {
        std::memcpy(memory + order[k] * number_bytes, from, bytes);
      }
    }
  }
};

// Rows of 3x3 matrices, complex numbers and single ones: the longer a group, the fewer copies.
template <class Number, class Work>
void with_groups(std::span<const std::uint32_t> order, Work&& work) noexcept {
  constexpr std::size_t size = sizeof(Number);
  if (is_in_groups_of(6, order)) return work(Groups<6 * size>{6, size, order});
  if (is_in_groups_of(2, order)) return work(Groups<2 * size>{2, size, order});
  work(Groups<size>{1, size, order});
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
  const auto gather = [&](const auto& groups) { groups.gather(memory, stride_bytes, sites, to); };
  if (precision == Precision::single) return with_groups<float>(order, gather);
  with_groups<double>(order, gather);
}

void scatter_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* from,
                     std::uint64_t sites, std::byte* memory, std::ptrdiff_t stride_bytes) noexcept {
  const auto scatter = [&](const auto& groups) { groups.scatter(from, sites, memory, stride_bytes); };
  if (precision == Precision::single) return with_groups<float>(order, scatter);
  with_groups<double>(order, scatter);
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
