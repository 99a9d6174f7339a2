// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Series of measurements along a Markov chain, and exact results to compare them with.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <limequat/physics.hpp>

namespace lq::testing {

struct Estimate {
  double mean = 0;
  double error = 0;
};

// Neighbouring measurements are correlated, averages of long blocks hardly.
inline Estimate estimate(const std::vector<double>& series, int blocks = 20) {
  const std::size_t length = series.size() / static_cast<std::size_t>(blocks);
  double sum = 0, squares = 0;
  for (int block = 0; block < blocks; ++block) {
    double mean = 0;
    for (std::size_t i = 0; i < length; ++i) {
      mean += series[static_cast<std::size_t>(block) * length + i] / static_cast<double>(length);
    }
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / blocks;
  return {mean, std::sqrt((squares / blocks - mean * mean) / (blocks - 1))};
}

// The plaquette of a chain on one rank after `warm_up` sweeps.
inline Estimate plaquette_of_chain(const Extents& extents, int colors, GenerateOptions options, int warm_up) {
  const Grid grid(extents);
  std::vector<std::complex<double>> links(grid.local_volume() *
                                          static_cast<std::size_t>(extents.size() * colors * colors));
  std::vector<double> series;
  options.after_sweep = [&](int sweep, const Field& field) {
    if (sweep > warm_up) series.push_back(plaquette(grid, field).average);
  };
  generate(grid, gauge(links, {.colors = colors}), options);
  return estimate(series);
}

// Modified Bessel function by its series.
inline double bessel_i(int order, double x) {
  double term = std::pow(x / 2, order) / std::tgamma(order + 1), sum = 0;
  for (int k = 1; k < 200; ++k) {
    sum += term;
    term *= x * x / 4 / k / (k + order);
  }
  return sum;
}

// SU(2) on a two-dimensional torus: the partition function is the sum over representations n = 1, 2, ... of
// (2 I_n(beta) / beta)^sites, the plaquette its logarithmic derivative per site. Tends to I_2/I_1.
inline double exact_plaquette_su2_torus(double beta, int sites) {
  double sum = 0, derivative = 0;
  const double scale = bessel_i(1, beta) / beta;
  for (int n = 1; n < 30; ++n) {
    const double f = bessel_i(n, beta) / beta / scale;
    const double slope =
        ((bessel_i(n - 1, beta) + bessel_i(n + 1, beta)) / 2 - bessel_i(n, beta) / beta) / beta / scale;
    sum += std::pow(f, sites);
    derivative += std::pow(f, sites - 1) * slope;
  }
  return derivative / sum;
}

// SU(3), one plaquette with weight exp(beta/3 Re Tr U): the plaquette in two dimensions and large volume, and the
// leading term at strong coupling in all. By Weyl's integral over the eigenvalues; the sum converges exponentially.
inline double exact_plaquette_su3_single(double beta) {
  constexpr int points = 96;
  constexpr double step = 2 * std::numbers::pi / points;
  double weights = 0, traces = 0;
  for (int i = 0; i < points; ++i) {
    for (int j = 0; j < points; ++j) {
      const double a = i * step, b = j * step, c = -a - b;
      const auto repulsion = [](double x, double y) { return 2 - 2 * std::cos(x - y); };
      const double trace = (std::cos(a) + std::cos(b) + std::cos(c)) / 3;
      const double weight = repulsion(a, b) * repulsion(b, c) * repulsion(c, a) * std::exp(beta * trace);
      weights += weight;
      traces += weight * trace;
    }
  }
  return traces / weights;
}

}  // namespace lq::testing
