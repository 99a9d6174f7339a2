// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In which order sites, links, rows and columns stand, told by the plaquette: in a wrong order the four links around a
// plaquette are strangers, and the average is near zero.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnosis/encoding.hpp"
#include "diagnosis/site_map.hpp"

namespace lq::diagnosis {

struct Ordering {
  SiteMap sites;
  SiteOrder order;         // of `sites`, where it is one sequence
  std::vector<int> links;  // the direction of each link of the file
  bool is_transposed = false;
};

struct Average {
  double value = 0;
  double error = 0;  // of a sample
  std::uint64_t plaquettes = 0;
  double part = 1;  // of the plaquettes; the others have a link of zeros, as at open boundaries, and are not averaged
};

struct Ranked {
  Ordering ordering;
  Average plaquette;
  bool is_declared = false;
  // Renaming directions of equal extents makes the one of the other: no plaquette can tell them apart.
  std::vector<Ordering> same = {};
};

// Sites at which plaquettes are measured: all, or so many at random (the same in each call).
std::vector<Coord> sample_of(const Extents& extents, std::uint64_t most);

// Over the sites given; plaquettes with links that are zero or not finite are left out.
Average average_plaquette(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file,
                          const std::vector<Coord>& sites);

// All orders of the sites as one sequence, of the links, and rows and columns either way: best first. Those that the
// sample cannot tell from the best come in the order of how little they differ from the declared one.
std::vector<Ranked> rank_orderings(const Encoding& encoding, const Ordering& declared, base::ByteSource& file,
                                   const std::vector<Coord>& sites);

}  // namespace lq::diagnosis
