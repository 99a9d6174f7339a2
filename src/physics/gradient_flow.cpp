// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/gradient_flow.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/resize_interruptibly.hpp"
#include "comm/agree.hpp"
#include "physics/cell_sums.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {
namespace {

// The largest sum of |re| + |im| of a row, which is at least any relevant norm of the matrix.
template <class Colors>
double norm_of(Colors colors, const double* a) noexcept {
  const std::size_t row = 2 * static_cast<std::size_t>(static_cast<int>(colors));
  double largest = 0;
  for (std::size_t i = 0; i < matrix_numbers(colors); i += row) {
    double sum = 0;
    for (std::size_t j = 0; j < row; ++j) sum += std::abs(a[i + j]);
    largest = std::max(largest, sum);
  }
  return largest;
}

// exp(a) by its series: the matrix is halved until few terms suffice, and the result squared equally often.
template <class Colors>
class Exponential {
 public:
  explicit Exponential(Colors colors) : colors_(colors), scaled_(colors), result_(colors), product_(colors) {}

  const double* of(const double* a, double factor) noexcept {
    double norm = norm_of(colors_, a) * std::abs(factor);
    int squarings = 0;
    for (; norm > 0.5 && squarings < 64; norm /= 2) ++squarings;
    const double scale = std::ldexp(factor, -squarings);
    for (std::size_t i = 0; i < matrix_numbers(colors_); ++i) scaled_.data()[i] = scale * a[i];
    sum_series(terms_for(norm));
    for (int k = 0; k < squarings; ++k) {
      multiply(colors_, result_.data(), result_.data(), product_.data());
      std::swap(result_, product_);
    }
    return result_.data();
  }

 private:
  // Number of terms for which the remainder is below rounding: norm^(n+1) / (n+1)! < 2^-57.
  static int terms_for(double norm) noexcept {
    int terms = 1;
    for (double left = norm * norm / 2; left > 0x1p-57 && terms < 20; left *= norm / (terms + 1)) ++terms;
    return terms;
  }

  // 1 + a (1 + a/2 (1 + a/3 (...)))
  void sum_series(int terms) noexcept {
    set_one(result_.data());
    for (int k = terms; k > 0; --k) {
      multiply(colors_, scaled_.data(), result_.data(), product_.data());
      for (std::size_t i = 0; i < matrix_numbers(colors_); ++i) result_.data()[i] = product_.data()[i] / k;
      for (int i = 0; i < colors_; ++i) {
        set_element(colors_, result_.data(), i, i, element(colors_, result_.data(), i, i) + 1.0);
      }
    }
  }

  void set_one(double* a) noexcept {
    std::fill_n(a, matrix_numbers(colors_), 0.0);
    for (int i = 0; i < colors_; ++i) set_element(colors_, a, i, i, 1.0);
  }

  Colors colors_;
  Matrix<Colors> scaled_, result_, product_;
};

// z = kept z + added P(a), where P is the projection onto the Lie algebra: anti-Hermitian and traceless.
template <class Colors>
void add_projection(Colors colors, const double* a, double kept, double added, double* z) noexcept {
  const int n = colors;
  double trace = 0;
  for (int i = 0; i < n; ++i) trace += element(colors, a, i, i).imag();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      std::complex<double> part = (element(colors, a, i, j) - std::conj(element(colors, a, j, i))) / 2.0;
      if (i == j) part -= std::complex<double>(0, trace / n);
      set_element(colors, z, i, j, kept * element(colors, z, i, j) + added * part);
    }
  }
}

}  // namespace

void require_valid_flow(int steps, double step) {
  constexpr int most_steps = 100'000;
  constexpr double longest_step = 0.15;
  const auto reject = [](std::string_view name, const std::string& found, const std::string& expected) {
    base::fail(Code::invalid_argument, {.expected = expected, .found = found},
               "cannot measure observables: {} is {}, expected {}", name, found, expected);
  };
  if (steps < 0 || steps > most_steps) reject("flow_steps", std::to_string(steps), fmt::format("0 to {}", most_steps));
  if (!(step > 0 && step <= longest_step)) {
    reject("flow_step", fmt::format("{}", step),
           fmt::format("more than 0, at most {}: longer steps are not stable", longest_step));
  }
}

GradientFlow::GradientFlow(const Grid& grid, int colors, Links& links, comm::Team& team)
    : grid_(grid), colors_(colors), links_(links), team_(team) {
  comm::agree(grid.communicator().engine(), [&] {
    base::resize_interruptibly(generators_, links.halo().local_cells() * static_cast<std::size_t>(links.directions()) *
                                                matrix_numbers(colors));
  });
}

double* GradientFlow::generator(int mu, std::size_t cell) noexcept {
  const auto number = cell * static_cast<std::size_t>(links_.directions()) + static_cast<std::size_t>(mu);
  return generators_.data() + number * matrix_numbers(colors_);
}

// The force of the action on a link is the projection of the sum of its plaquettes onto the Lie algebra.
template <class Colors>
void GradientFlow::add_forces(Colors colors, double kept, double added, std::size_t begin, std::size_t end) {
  Matrix staple(colors), plaquettes(colors), path(colors), returning(colors);
  for (std::size_t x = begin; x < end; ++x) {
    for (int mu = 0; mu < links_.directions(); ++mu) {
      add_up_staple(colors, links_, mu, x, staple.data(), path.data(), returning.data());
      multiply(colors, links_.at(mu, x), staple.data(), plaquettes.data());
      add_projection(colors, plaquettes.data(), kept, -added, generator(mu, x));
    }
  }
}

template <class Colors>
void GradientFlow::move(Colors colors, double factor, std::size_t begin, std::size_t end) {
  Exponential exponential(colors);
  Matrix moved(colors);
  for (std::size_t x = begin; x < end; ++x) {
    for (int mu = 0; mu < links_.directions(); ++mu) {
      multiply(colors, exponential.of(generator(mu, x), factor), links_.at(mu, x), moved.data());
      std::copy_n(moved.data(), matrix_numbers(colors), links_.at(mu, x));
    }
  }
}

// generator = kept generator + added Z(V), then V = exp(factor generator) V.
void GradientFlow::stage(double kept, double added, double factor) {
  comm::agree(grid_.communicator().engine(), [&] {
    const auto share = [&](const auto& work) {
      share_cells(links_.halo().local_cells(), team_, [&](int, std::size_t begin, std::size_t end) {
        with_colors(colors_, [&](auto n) { work(n, begin, end); });
      });
    };
    share([&](auto n, std::size_t begin, std::size_t end) { add_forces(n, kept, added, begin, end); });
    share([&](auto n, std::size_t begin, std::size_t end) { move(n, factor, begin, end); });
  });
  links_.refresh();
}

// With Z_i = step Z(W_i): W_1 = exp(Z_0/4) W_0, W_2 = exp(8/9 Z_1 - 17/36 Z_0) W_1,
// V(t + step) = exp(3/4 Z_2 - 8/9 Z_1 + 17/36 Z_0) W_2.
void GradientFlow::step(double step) {
  stage(0, step, 1.0 / 4);
  stage(-17.0 / 36, 8.0 / 9 * step, 1);
  stage(-1, 3.0 / 4 * step, 1);
}

std::optional<double> crossing(std::span<const double> values, double step, double level) {
  for (std::size_t k = 1; k < values.size(); ++k) {
    const double before = values[k - 1], after = values[k];
    if (!(before < level && after >= level)) continue;
    return step * (static_cast<double>(k - 1) + (level - before) / (after - before));
  }
  return std::nullopt;
}

namespace {

constexpr double reference = 0.3;

std::vector<double> dimensionless(std::span<const double> energies, double step) {
  std::vector<double> values;
  values.reserve(energies.size());
  for (std::size_t k = 0; k < energies.size(); ++k) {
    const double time = static_cast<double>(k) * step;
    values.push_back(time * time * energies[k]);
  }
  return values;
}

}  // namespace

std::optional<double> t0_of(std::span<const double> energies, double step) {
  return crossing(dimensionless(energies, step), step, reference);
}

std::optional<double> w0_of(std::span<const double> energies, double step) {
  const std::vector<double> values = dimensionless(energies, step);
  std::vector<double> slopes = {0};  // t d/dt, by central differences
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    slopes.push_back(static_cast<double>(k) * (values[k + 1] - values[k - 1]) / 2);
  }
  const std::optional<double> time = crossing(slopes, step, reference);
  return time ? std::optional(std::sqrt(*time)) : std::nullopt;
}

}  // namespace lq::physics
