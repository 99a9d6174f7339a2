// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Local coherence among ranks (formats/modes.md 6): modes become coefficients. Who writes has whole blocks for it,
// whatever the process grid, and computes what does not depend on that grid.
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

// Which coefficients make up a vector best, block by block: least squares by the Cholesky factor of the products of the
// modes with each other, to which each mode adds a row. What a mode has within a block that those before it have not
// may be next to nothing; such a mode is left out there, or coefficients would grow and cancel. Knows no ranks.
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

// What goes into the file for a mode: the vector, or its coefficients.
struct Encoded {
  Grid grid;
  Field field;
  Mode mode;
  std::vector<std::complex<double>> coefficients = {};  // of the blocks of this rank
};

// Modes become coefficients.
class Compression {
 public:
  // Collective. Without coherence there is none.
  static std::unique_ptr<Compression> of(const Grid& grid, const Description& description);

  std::uint64_t size() const noexcept { return size_; }  // modes of the basis so far
  bool is_complete() const noexcept { return size_ == description_.coherence.basis; }
  // Collective. A mode of the basis.
  void add(const Field& vector);
  // Collective. Modes of the basis that are in a set already.
  void add(const Set& set);
  // Collective. A mode that comes after those of the basis.
  Encoded encode(const Field& vector, const Mode& mode) const;

 private:
  // Local; `box`: of the sites of this rank's blocks.
  Compression(const Grid& grid, const Grid& blocks, const Description& description, const Box& box);
  std::vector<double> on_blocks(const Field& vector) const;

  Grid grid_, blocks_;
  Description description_;
  std::optional<lattice::SiteExchange> exchange_;
  Projection projection_;
  std::uint64_t size_ = 0;
};

}  // namespace lq::modes
