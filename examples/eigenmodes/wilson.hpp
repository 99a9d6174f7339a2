// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The hermitian Wilson-Dirac operator Q = gamma_5 (1 - kappa H), with H the hopping term, on a lattice that is split in
// t only: each rank holds whole time slices. Antiperiodic in t. The loops are not optimised, because their time is not
// measured.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

namespace eigenmodes {

using Number = std::complex<double>;
using Vector = std::vector<Number>;                 // [site][spin][color], x fastest
using Links = std::vector<std::array<Number, 36>>;  // [site][mu][row][column]

// The sum over all ranks of a* b.
Number product(const lq::Grid& grid, const Number* a, const Number* b, std::size_t count);

class Wilson {
 public:
  Wilson(const lq::Grid& grid, const std::string& configuration, double kappa);
  // `links` of this rank.
  Wilson(const lq::Grid& grid, Links links, double kappa);

  const lq::Grid& grid() const noexcept { return grid_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(grid_.local_volume()) * 12; }  // of a vector
  std::size_t slice() const noexcept { return slice_; }  // complex numbers of a time slice
  int slices() const noexcept { return static_cast<int>(size() / slice_); }
  int first_slice() const noexcept { return static_cast<int>(grid_.local_box().lower[3]); }
  double largest() const noexcept { return 1 + 8 * kappa_; }  // no eigenvalue is larger

  // out = Q in; both of size().
  void apply(const Number* in, Number* out) const;

 private:
  void exchange(const Number* in) const;

  lq::Grid grid_;
  double kappa_;
  std::size_t slice_;
  Links links_;
  Links links_below_;             // of the time slice below the first
  mutable Vector above_, below_;  // the neighbours' slices
};

}  // namespace eigenmodes
