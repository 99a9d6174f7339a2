// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The gradient flow of the Wilson action, dV/dt = -g0^2 {dS(V)} V, by the third order Runge-Kutta integrator of M.
// Luescher, arXiv:1006.4518, appendix C. Each link is advanced separately, so the result does not depend on the process
// grid.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <limequat/grid.hpp>

#include "comm/team.hpp"
#include "physics/links.hpp"

namespace lq::physics {

class GradientFlow {
 public:
  // Collective. The links are changed in place; their copies (Reach::staples) are up to date. All arguments outlive it.
  GradientFlow(const Grid& grid, int colors, Links& links, comm::Team& team);

  // Collective. From t to t + step; copies are up to date afterwards.
  void step(double step);

 private:
  template <class Colors>
  void add_forces(Colors colors, double kept, double added, std::size_t begin, std::size_t end);
  template <class Colors>
  void move(Colors colors, double factor, std::size_t begin, std::size_t end);
  void stage(double kept, double added, double factor);
  double* generator(int mu, std::size_t cell) noexcept;

  const Grid& grid_;
  int colors_;
  Links& links_;
  comm::Team& team_;
  std::vector<double> generators_;  // the exponent of each local link
};

// invalid_argument: a number or size of steps that cannot be integrated.
void require_valid_flow(int steps, double step);

// The time at which values at equally spaced times first reach a level from below, by linear interpolation; empty if
// they do not.
std::optional<double> crossing(std::span<const double> values, double step, double level);

// t0 and w0 of energies at times 0, step, 2 step, ...
std::optional<double> t0_of(std::span<const double> energies, double step);
std::optional<double> w0_of(std::span<const double> energies, double step);

}  // namespace lq::physics
