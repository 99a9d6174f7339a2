// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank.
#include "world.hpp"

namespace demo {

struct World::State {};

World::World(int& /*argc*/, char**& /*argv*/) {}
World::~World() = default;
lq::Grid World::grid(const lq::Extents& lattice, const lq::Extents& /*processes*/) const { return lq::Grid(lattice); }
void World::barrier() const {}
double World::largest(double mine) const { return mine; }
std::uint64_t World::before(std::uint64_t /*mine*/) const { return 0; }
std::uint64_t World::sum(std::uint64_t mine) const { return mine; }

}  // namespace demo
