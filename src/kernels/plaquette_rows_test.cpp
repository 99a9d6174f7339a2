// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquettes of rows against std::complex, site by site, to the last bit. CMakeLists.txt runs this once for every
// instruction set.
#include "kernels/plaquette_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <random>
#include <vector>

namespace lq::kernels {
namespace {

template <class Real>
std::vector<Real> random_numbers(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<Real> number(-1, 1);
  std::vector<Real> numbers(count);
  for (Real& x : numbers) x = number(random);
  return numbers;
}

template <class Real>
std::vector<double> row_of(const std::vector<Real>& sites, std::size_t numbers) {
  const std::size_t count = sites.size() / numbers;
  std::vector<double> row(row_numbers(count, numbers));
  to_row(sizeof(Real) == 4 ? Precision::single : Precision::double_, sites.data(), numbers, count, row.data());
  return row;
}

// Real and imaginary parts as sums of their own for SU(2) and SU(3), as one sum for all others.
std::complex<double> element(std::size_t n, const double* a, const double* b, std::size_t i, std::size_t j) {
  double re_re = 0, im_im = 0, re_im = 0, im_re = 0, re = 0, im = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::complex<double> left(a[2 * (i * n + k)], a[2 * (i * n + k) + 1]),
        right(b[2 * (k * n + j)], b[2 * (k * n + j) + 1]);
    re_re += left.real() * right.real();
    im_im += left.imag() * right.imag();
    re_im += left.real() * right.imag();
    im_re += left.imag() * right.real();
    re += left.real() * right.real() - left.imag() * right.imag();
    im += left.real() * right.imag() + left.imag() * right.real();
  }
  return n == 2 || n == 3 ? std::complex<double>(re_re - im_im, re_im + im_re) : std::complex<double>(re, im);
}

TEST(PlaquetteRows, HaveTheTracesOfEachSite) {
  for (const std::size_t n : {1U, 2U, 3U, 4U}) {
    for (const std::size_t sites : {1U, 2U, 3U, 7U, 8U, 9U, 24U}) {
      const std::size_t link = 2 * n * n;
      std::array<std::vector<double>, 4> links, rows;
      for (std::size_t i = 0; i < 4; ++i) {
        links[i] = random_numbers<double>(sites * link + i);
        links[i].resize(sites * link);
        rows[i] = row_of(links[i], link);
      }
      std::vector<double> traces(row_stride(sites)), of_links(row_stride(sites));
      plaquette_traces(static_cast<int>(n), {{rows[0].data(), rows[2].data()}, {rows[1].data(), rows[3].data()}}, sites,
                       traces.data());
      link_traces(static_cast<int>(n), rows[0].data(), sites, of_links.data());
      for (std::size_t s = 0; s < sites; ++s) {
        const auto at = [&](std::size_t i) { return links[i].data() + s * link; };
        double expected = 0, diagonal = 0;
        for (std::size_t i = 0; i < n; ++i) {
          diagonal += at(0)[2 * (i * n + i)];
          for (std::size_t j = 0; j < n; ++j) {
            const std::complex<double> one = element(n, at(0), at(1), i, j), other = element(n, at(2), at(3), i, j);
            expected += one.real() * other.real();
            expected += one.imag() * other.imag();
          }
        }
        EXPECT_EQ(traces[s], expected) << n << " colours, site " << s << " of " << sites;
        EXPECT_EQ(of_links[s], diagonal);
      }
    }
  }
}

TEST(PlaquetteRows, HaveTheirFirstSiteBehindTheLast) {
  for (const std::size_t sites : {1U, 2U, 5U, 8U, 64U}) {
    constexpr std::size_t numbers = 18;
    const std::vector<float> memory = random_numbers<float>(sites * numbers);
    const std::vector<double> row = row_of(memory, numbers);
    for (std::size_t k = 0; k < numbers; ++k) {
      for (std::size_t s = 0; s <= sites; ++s) {
        EXPECT_EQ(row[k * row_stride(sites) + s], static_cast<double>(memory[s % sites * numbers + k]));
      }
    }
  }
}

}  // namespace
}  // namespace lq::kernels
