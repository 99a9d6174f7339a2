// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order of the sites of a file, found from its SciDAC checksum: that is defined on the numbers of sites in the
// lattice, so that with one CRC-32 for each site of the file an order is tried by rotations alone.
#pragma once

#include <cstdint>
#include <span>

#include <limequat/diagnose.hpp>

#include "comm/team.hpp"
#include "diagnosis/site_map.hpp"

namespace lq::diagnosis {

// The checksum of sites in this order.
Checksum checksum_of(std::span<const std::uint32_t> crcs, const SiteMap& map);

struct FoundOrder {
  WriterGrid answer;
  SiteMap map;  // where there is one
};

// Tries one sequence in all orders of the dimensions, then all process grids that divide the lattice, by the threads of
// a team; after the given number of seconds no more. What is found does not depend on the number of threads.
FoundOrder find_order(std::span<const std::uint32_t> crcs, const Extents& extents, const Checksum& wanted,
                      double seconds, comm::Team& team);

}  // namespace lq::diagnosis
