// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquettes of rows against std::complex, site by site, to the last bit. CMakeLists.txt runs this once for every
// instruction set.
#include "kernels/plaquette_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <utility>
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
constexpr Precision row_precision = sizeof(Real) == sizeof(float) ? Precision::single : Precision::double_;

template <class Real>
std::vector<RowLine> row_of(const std::vector<Real>& sites, std::size_t numbers) {
  const std::size_t count = sites.size() / numbers;
  std::vector<RowLine> row(row_lines(row_precision<Real>, count, numbers));
  std::memset(row.data(), 0xff, row.size() * sizeof(RowLine));
  to_row(row_precision<Real>, sites.data(), numbers, count, row.data());
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

double trace_of(std::size_t n, const double* first, const double* first_above, const double* second,
                const double* second_above) {
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::complex<double> one = element(n, first, first_above, i, j),
                                 other = element(n, second, second_above, i, j);
      trace += one.real() * other.real();
      trace += one.imag() * other.imag();
    }
  }
  return trace / static_cast<double>(n);
}

double trace_of(std::size_t n, const double* link) {
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += link[2 * (i * n + i)];
  return trace / static_cast<double>(n);
}

// A row along one of three dimensions, and the rows above it in the others.
template <class Real>
void expect_terms(std::size_t n, std::size_t sites, std::size_t along) {
  constexpr std::size_t dimensions = 3;
  const std::size_t link = 2 * n * n, numbers = dimensions * link;
  std::array<std::vector<double>, dimensions> above;  // by direction, as doubles in the order of sites
  std::array<std::vector<RowLine>, dimensions> rows;
  std::vector<double> here;
  for (std::size_t mu = 0; mu < dimensions; ++mu) {
    std::vector<Real> memory = random_numbers<Real>(sites * numbers + mu);
    memory.resize(sites * numbers);
    rows[mu] = row_of(memory, numbers);
    above[mu].assign(memory.begin(), memory.end());
    if (mu == along) here = above[mu];
  }
  std::rotate(above[along].begin(), above[along].begin() + static_cast<std::ptrdiff_t>(numbers), above[along].end());
  PlaquetteRows given{.here = rows[along].data(), .dimensions = dimensions, .along = along, .sites = sites};
  for (std::size_t mu = 0; mu < dimensions; ++mu) given.above[mu] = mu == along ? nullptr : rows[mu].data();
  std::vector<double> terms(terms_of_site(dimensions) * padded_sites(sites), 7);
  plaquette_terms(row_precision<Real>, static_cast<int>(n), given, terms.data());
  std::size_t term = 0;
  const auto expect = [&](const auto& value_of) {
    for (std::size_t s = 0; s < padded_sites(sites); ++s) {
      EXPECT_EQ(terms[term * padded_sites(sites) + s], s < sites ? value_of(s * numbers) : 0.0)
          << n << " colours, term " << term << ", site " << s << " of " << sites << " along " << along;
    }
    ++term;
  };
  for (std::size_t mu = 0; mu < dimensions; ++mu) {
    for (std::size_t nu = mu + 1; nu < dimensions; ++nu) {
      expect([&](std::size_t at) {
        return trace_of(n, &here[at + mu * link], &above[mu][at + nu * link], &here[at + nu * link],
                        &above[nu][at + mu * link]);
      });
    }
  }
  for (std::size_t mu = 0; mu < dimensions; ++mu) {
    expect([&](std::size_t at) { return trace_of(n, &here[at + mu * link]); });
  }
}

TEST(PlaquetteRows, HaveTheTracesOfEachSite) {
  for (const std::size_t n : {1U, 2U, 3U, 4U}) {
    for (const std::size_t sites : {1U, 2U, 3U, 7U, 8U, 9U, 24U}) {
      for (const std::size_t along : {0U, 1U, 2U}) {
        expect_terms<double>(n, sites, along);
        expect_terms<float>(n, sites, along);
      }
    }
  }
}

// The largest |element|^2 of u u^dagger - 1 and |det u - 1|^2 in the order of operations of the loops.
std::pair<double, double> distances_of(std::size_t n, const double* u) {
  const auto at = [&](std::size_t i, std::size_t j) {
    return std::complex<double>(u[2 * (i * n + j)], u[2 * (i * n + j) + 1]);
  };
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double re = i == j ? -1 : 0, im = 0;
      for (std::size_t k = 0; k < n; ++k) {
        re += at(i, k).real() * at(j, k).real() + at(i, k).imag() * at(j, k).imag();
        im += at(i, k).imag() * at(j, k).real() - at(i, k).real() * at(j, k).imag();
      }
      largest = std::max(largest, re * re + im * im);
    }
  }
  const auto minor = [&](std::size_t row, std::size_t a, std::size_t b) {
    return at(row, a) * at(row + 1, b) - at(row, b) * at(row + 1, a);
  };
  std::complex<double> determinant = n == 2 ? minor(0, 0, 1) : 0;
  for (std::size_t j = 0; n == 3 && j < n; ++j) determinant += at(0, j) * minor(1, (j + 1) % n, (j + 2) % n);
  return {largest, std::norm(determinant - 1.0)};
}

template <class Real>
void expect_distances(std::size_t n, std::size_t sites, std::size_t dimensions) {
  const std::size_t link = 2 * n * n, numbers = dimensions * link, padded = padded_sites(sites);
  const std::vector<Real> memory = random_numbers<Real>(sites * numbers);
  const std::vector<RowLine> row = row_of(memory, numbers);
  std::vector<double> from_unitarity(dimensions * padded, 7), from_one(dimensions * padded, 7);
  link_distances(row_precision<Real>, static_cast<int>(n), row.data(), dimensions, sites, from_unitarity.data(),
                 from_one.data());
  const std::vector<double> wide(memory.begin(), memory.end());
  for (std::size_t s = 0; s < sites; ++s) {
    for (std::size_t mu = 0; mu < dimensions; ++mu) {
      const auto [distance, determinant] = distances_of(n, wide.data() + s * numbers + mu * link);
      EXPECT_EQ(from_unitarity[mu * padded + s], distance) << n << " colours, link " << mu << " of site " << s;
      EXPECT_NEAR(from_one[mu * padded + s], determinant, 1e-13 * (1 + determinant));
    }
  }
}

TEST(LinkDistances, AreThoseOfEachLinkToTheLastBit) {
  for (const std::size_t n : {2U, 3U}) {
    for (const std::size_t sites : {1U, 2U, 7U, 8U, 9U, 24U}) {
      for (const std::size_t dimensions : {2U, 4U, 5U}) {
        expect_distances<double>(n, sites, dimensions);
        expect_distances<float>(n, sites, dimensions);
      }
    }
  }
}

TEST(LinkDistances, AreNotFiniteWhereANumberIsNot) {
  for (const std::size_t n : {2U, 3U}) {
    const std::size_t numbers = 2 * 2 * n * n, sites = 9;
    for (std::size_t at = 0; at < numbers * sites; ++at) {
      for (const double odd : {std::nan(""), -std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        std::vector<double> memory = random_numbers<double>(sites * numbers);
        memory[at] = odd;
        const std::vector<RowLine> row = row_of(memory, numbers);
        std::array<double, 32> from_unitarity{}, from_one{};
        link_distances(Precision::double_, static_cast<int>(n), row.data(), 2, sites, from_unitarity.data(),
                       from_one.data());
        const std::size_t site = at / numbers, mu = at % numbers / (numbers / 2);
        for (std::size_t s = 0; s < sites; ++s) {
          for (std::size_t d = 0; d < 2; ++d) {
            EXPECT_EQ(std::isfinite(from_unitarity[d * 16 + s]), s != site || d != mu) << odd << " at " << at;
            EXPECT_EQ(std::isfinite(from_one[d * 16 + s]), s != site || d != mu) << odd << " at " << at;
          }
        }
      }
    }
  }
}

TEST(PlaquetteRows, HaveEightSitesSideBySideAndZerosBehind) {
  for (const std::size_t sites : {1U, 2U, 5U, 8U, 63U}) {
    constexpr std::size_t numbers = 18;
    const std::vector<float> memory = random_numbers<float>(sites * numbers);
    const std::vector<RowLine> row = row_of(memory, numbers);
    std::vector<float> values(numbers * padded_sites(sites));
    ASSERT_EQ(row.size() * sizeof(RowLine), values.size() * sizeof(float));
    std::memcpy(values.data(), row.data(), row.size() * sizeof(RowLine));
    for (std::size_t k = 0; k < numbers; ++k) {
      for (std::size_t s = 0; s < padded_sites(sites); ++s) {
        EXPECT_EQ(values[(s / 8 * numbers + k) * 8 + s % 8], s < sites ? memory[s * numbers + k] : 0.0F);
      }
    }
  }
}

TEST(SmallTerms, AreRoundedOneByOneAndSummedExactly) {
  std::vector<double> terms = random_numbers<double>(4096);
  for (std::size_t k = 0; k < terms.size(); ++k) terms[k] = std::ldexp(terms[k], 1 - static_cast<int>(k % 64));
  // Halves of a step go to the even one; so do those that only the lower part sees.
  for (const double half : {0x1p-61, 0x3p-61, -0x1p-61, -0x3p-61, 1 + 0x1p-52, 2.0, -2.0, 0x1.fffffffffffffp0}) {
    terms.insert(terms.end(), 8, half);
  }
  __extension__ using Wide = __int128;
  Wide expected = 0;
  for (const double term : terms) expected += std::llrint(std::ldexp(term, 60));
  const auto sum = sum_small_terms(terms.data(), terms.size());
  ASSERT_TRUE(sum);
  EXPECT_TRUE(static_cast<Wide>(sum->high) * (1 << 30) + static_cast<Wide>(sum->low) == expected);
}

TEST(Roots, AreThoseOfTheLibraryAndInfiniteWhereThereIsNone) {
  std::vector<double> squares = random_numbers<double>(4096);
  for (std::size_t k = 0; k < squares.size(); ++k)
    squares[k] = std::ldexp(squares[k] * squares[k], -static_cast<int>(k % 90));
  squares[5] = 0;
  squares[6] = 0x1p-1070;
  std::vector<double> roots = squares;
  EXPECT_EQ(take_roots(roots.data(), roots.size()), std::sqrt(*std::ranges::max_element(squares)));
  for (std::size_t k = 0; k < squares.size(); ++k) EXPECT_EQ(roots[k], std::sqrt(squares[k])) << k;

  for (const double odd : {std::nan(""), -std::nan(""), HUGE_VAL}) {
    for (std::size_t place = 0; place < 24; ++place) {
      std::vector<double> some(24, 4.0);
      some[place] = odd;
      EXPECT_EQ(take_roots(some.data(), some.size()), HUGE_VAL);
      for (std::size_t k = 0; k < some.size(); ++k)
        EXPECT_EQ(some[k], k == place ? HUGE_VAL : 2.0) << odd << " at " << place;
    }
  }
}

TEST(SmallTerms, DoWithoutOnesThatAreLargeOrNoNumbers) {
  for (const double bad : {2 + 0x1p-51, -3.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    for (std::size_t place = 0; place < 16; ++place) {
      std::vector<double> terms(16, 0.5);
      terms[place] = bad;
      EXPECT_FALSE(sum_small_terms(terms.data(), terms.size())) << bad << " at " << place;
    }
  }
}

}  // namespace
}  // namespace lq::kernels
