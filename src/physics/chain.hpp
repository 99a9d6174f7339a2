// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A Markov chain of gauge configurations on this rank's part of the lattice: Wilson action, heat bath of Cabibbo and
// Marinari (Phys. Lett. B 119 (1982) 387), over-relaxation in the same subgroups.
#pragma once

#include <vector>

#include <limequat/grid.hpp>
#include <limequat/physics.hpp>

#include "comm/team.hpp"
#include "physics/links.hpp"
#include "physics/random.hpp"

namespace lq::physics {

template <int N>
class Chain {
 public:
  // Collective. Starts from random links or from 1, as the options say.
  Chain(const Grid& grid, const GenerateOptions& options);

  // Collective. One heat bath sweep, number 1 and up, and the over-relaxation sweeps after it.
  void sweep(int number);

  // Local. Local sites in natural order, links of a site together.
  void copy_to(double* field) const noexcept;

 private:
  void start(const GenerateOptions& options);
  template <class Work>
  void share_out(std::size_t cells, const Work& work);
  template <class Update>
  void update_links(const Update& update);
  void heat_bath(int number);
  void over_relax();
  void reunitarise_all();

  double beta_ = 0;
  int over_relaxation_ = 0;
  std::uint64_t seed_ = 0;
  Colouring colouring_;
  Links links_;
  std::vector<std::vector<std::size_t>> cells_;  // the local ones of each colour
  comm::Team team_;                              // shares those of one colour, which do not depend on each other
};

extern template class Chain<2>;
extern template class Chain<3>;

}  // namespace lq::physics
