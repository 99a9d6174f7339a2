// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which coefficients make up a vector best, block by block: least squares by the Cholesky factor of the products of the
// modes with each other, to which each mode adds a row. What a mode has within a block that those before it have not
// may be next to nothing; such a mode is left out there, or coefficients would grow and cancel. Knows no ranks.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "modes/basis.hpp"

namespace lq::modes {

class Projection {
 public:
  // The box of the basis consists of whole blocks.
  explicit Projection(Basis basis);

  const Basis& basis() const noexcept { return basis_; }
  // As Basis::add.
  void add(std::span<const double> vector);
  // For each block a coefficient for each mode, as Basis::combine takes them, rounded as the file does.
  std::vector<std::complex<double>> coefficients(std::span<const double> vector, Precision precision) const;

 private:
  using Rows = std::vector<std::complex<double>>;  // of a lower triangle, contiguous

  Basis basis_;
  std::vector<Rows> factors_;  // of each block
};

}  // namespace lq::modes
