// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI_COMM_WORLD.
#include <limequat/mpi.hpp>

#include "world.hpp"

namespace demo {

struct World::State {
  State(int& argc, char**& argv) : mpi(argc, argv) {}
  lq::mpi::Environment mpi;
};

World::World(int& argc, char**& argv) : state_(std::make_unique<State>(argc, argv)) {}
World::~World() = default;

lq::Grid World::grid(const lq::Extents& lattice, const lq::Extents& processes) const {
  lq::GridOptions options;
  options.processes = processes;
  return lq::mpi::grid(lattice, MPI_COMM_WORLD, options);
}

void World::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }

double World::largest(double mine) const {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

std::uint64_t World::before(std::uint64_t mine) const {
  int rank = 0;
  std::uint64_t result = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Exscan(&mine, &result, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return rank == 0 ? 0 : result;
}

std::uint64_t World::sum(std::uint64_t mine) const {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

}  // namespace demo
