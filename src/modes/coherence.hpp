// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Local coherence with several ranks (formats/modes.md 6): modes become coefficients. A writer has whole blocks for
// this, whatever the process grid, and computes results that do not depend on that grid.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <limequat/modes.hpp>

#include "lattice/site_exchange.hpp"
#include "modes/basis.hpp"

namespace lq::modes {

// The best coefficients of a vector, block by block: least squares by the Cholesky factor of the products of the modes
// with each other, to which each mode adds a row. Within a block a mode may be almost a combination of the previous
// ones; it is then omitted there, because otherwise coefficients would grow and cancel. Independent of ranks.
class Projection {
 public:
  // The box of the basis consists of whole blocks.
  explicit Projection(Basis basis);

  const Basis& basis() const noexcept { return basis_; }
  // The same as Basis::add.
  void add(std::span<const double> vector);
  // For each block a coefficient for each mode, as used by Basis::combine, rounded as in the file.
  std::vector<std::complex<double>> coefficients(std::span<const double> vector, Precision precision) const;

 private:
  using Rows = std::vector<std::complex<double>>;  // rows of a lower triangle, contiguous

  Basis basis_;
  std::vector<Rows> factors_;  // by block
};

// The data stored in the file for a mode: the vector, or its coefficients.
struct Encoded {
  Grid grid;
  Field field;
  Mode mode;
  std::vector<std::complex<double>> coefficients = {};  // for the blocks of this rank
};

// Converts modes to coefficients.
class Compression {
 public:
  // Collective. nullptr without coherence.
  static std::unique_ptr<Compression> of(const Grid& grid, const Description& description);

  std::uint64_t size() const noexcept { return size_; }  // modes of the basis so far
  bool is_complete() const noexcept { return size_ == description_.coherence.basis; }
  // Collective. Adds a mode of the basis.
  void add(const Field& vector);
  // Collective. Adds modes of the basis that are already in a set.
  void add(const Set& set);
  // Collective. Encodes a mode that comes after those of the basis.
  Encoded encode(const Field& vector, const Mode& mode) const;

 private:
  // Local; `box`: sites of this rank's blocks.
  Compression(const Grid& grid, const Grid& blocks, const Description& description, const Box& box);
  std::vector<double> on_blocks(const Field& vector) const;

  Grid grid_, blocks_;
  Description description_;
  std::optional<lattice::SiteExchange> exchange_;
  Projection projection_;
  std::uint64_t size_ = 0;
};

}  // namespace lq::modes
