// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/plaquette_rows.hpp"

#include "kernels/copy_numbers.hpp"
#include "kernels/dispatch.hpp"

namespace lq::kernels {
namespace {

constexpr std::size_t doubles_of_cache_line = 8;

// One element of a product, summed as for any number of colours.
struct Element {
  double re = 0, im = 0;
};

Element product(std::size_t colors, const double* a, const double* b, std::size_t stride, std::size_t i,
                std::size_t j) noexcept {
  Element sum;
  for (std::size_t k = 0; k < colors; ++k) {
    const double* const row = a + 2 * (i * colors + k) * stride;
    const double* const column = b + 2 * (k * colors + j) * stride;
    sum.re += row[0] * column[0] - row[stride] * column[stride];
    sum.im += row[0] * column[stride] + row[stride] * column[0];
  }
  return sum;
}

void traces_of_any(std::size_t colors, const PlaquetteRows& rows, std::size_t stride, std::size_t sites,
                   double* traces) noexcept {
  for (std::size_t s = 0; s < sites; ++s) {
    double trace = 0;
    for (std::size_t ij = 0; ij < colors * colors; ++ij) {
      const std::size_t i = ij / colors, j = ij % colors;
      const Element left = product(colors, rows.first[0] + s, rows.second[0] + s, stride, i, j);
      const Element right = product(colors, rows.first[1] + s, rows.second[1] + s, stride, i, j);
      trace += left.re * right.re;
      trace += left.im * right.im;
    }
    traces[s] = trace;
  }
}

}  // namespace

// An odd number of cache lines, so that the numbers of a site are not all in the same few places of a cache.
std::size_t row_stride(std::size_t sites) noexcept {
  const std::size_t lines = (sites + doubles_of_cache_line - 1) / doubles_of_cache_line + 1;
  return (lines | 1) * doubles_of_cache_line;
}

void to_row(Precision precision, const void* memory, std::size_t numbers, std::size_t sites, double* row) noexcept {
  const std::size_t stride = row_stride(sites);
  loops_of(active_instruction_set())
      .to_rows[index_of(precision)](static_cast<const std::byte*>(memory), numbers, sites, row, stride);
  for (std::size_t k = 0; k < numbers; ++k) row[k * stride + sites] = row[k * stride];
}

void plaquette_traces(int colors, const PlaquetteRows& rows, std::size_t sites, double* traces) noexcept {
  const std::size_t stride = row_stride(sites);
  if (colors == 2 || colors == 3) {
    return loops_of(active_instruction_set())
        .plaquettes[static_cast<std::size_t>(colors) - 2](rows, stride, sites, traces);
  }
  traces_of_any(static_cast<std::size_t>(colors), rows, stride, sites, traces);
}

void link_traces(int colors, const double* row, std::size_t sites, double* traces) noexcept {
  const std::size_t stride = row_stride(sites), diagonal = 2 * (static_cast<std::size_t>(colors) + 1) * stride;
  for (std::size_t s = 0; s < sites; ++s) {
    double trace = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(colors); ++i) trace += row[i * diagonal + s];
    traces[s] = trace;
  }
}

}  // namespace lq::kernels
