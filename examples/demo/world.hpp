// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parallel functions that the programs of the demo need. world_mpi.cpp uses MPI; world_serial.cpp is for builds
// without MPI and has one rank.
#pragma once

#include <limequat/limequat.hpp>
#include <memory>

namespace demo {

class World {
 public:
  World(int& argc, char**& argv);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  lq::Grid grid(const lq::Extents& lattice, const lq::Extents& processes) const;
  void barrier() const;
  double largest(double mine) const;               // over the ranks
  std::uint64_t before(std::uint64_t mine) const;  // sum over the ranks before this one
  std::uint64_t sum(std::uint64_t mine) const;     // over all ranks

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace demo
