// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In which order sites, links, rows and columns stand, told by the plaquette: in a wrong order the four links around a
// plaquette are strangers, and the average is near zero.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/team.hpp"
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
  double noise = 0;  // of the average, whether these are all plaquettes or not
  std::uint64_t plaquettes = 0;
  double part = 1;  // of the plaquettes; the others have a link of zeros, as at open boundaries, and are not averaged
};

// The numbers of a field, site after site from the offset of the encoding on.
struct Sequence {
  Encoding encoding;
  base::ByteSource* file = nullptr;
};

// By which a stated plaquette is larger than the average over colours: conventions of programs; 0: by none of them.
double factor_of(const Average& average, double stated);

// An order of sites and links, whatever the names of the directions: digits are the dimensions, fastest first.
struct Ranked {
  std::size_t sequence = 0;  // of those that were tried
  Extents digits;
  Parity parity = Parity::none;
  std::vector<int> digit_of_link;
  bool is_transposed = false;
  Average plaquette;
};

// Names for the digits of one. No plaquette can tell them apart.
struct Naming {
  Ordering ordering;    // on the lattice of `ordering.sites`
  int oddity = 0;       // how much must be believed for it: 0 is x, y, z, t for sites and links
  bool is_told = true;  // the extents are those that were told, in that order
};

// Sites at which plaquettes are measured: all, or so many at random (the same in each call).
std::vector<Coord> sample_of(const Extents& extents, std::uint64_t most);

// Over the sites given; plaquettes with links that are zero or not finite are left out.
Average average_plaquette(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file,
                          const std::vector<Coord>& sites);
// Stretches of the sequence of sites whose plaquettes are much smaller than the others': their links stand elsewhere,
// or are those of another field.
struct LowRegion {
  std::uint64_t sites = 0;            // of all stretches
  std::uint64_t first = 0, last = 0;  // numbers in the sequence
  double plaquette = 0;               // of the lowest stretch
};

struct WholePlaquette {
  Average average;
  LowRegion low;
};

// Over all sites, by the threads of a team; the same for any number of them.
WholePlaquette whole_plaquette(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file,
                               comm::Team& team);

// All orders of the sites as one sequence, also those by parity, of the links, and rows and columns either way: the
// largest plaquette first, out of up to `most` sites for those that may be the right one.
std::vector<Ranked> rank_orderings(const std::vector<Sequence>& sequences, const Extents& extents, std::uint64_t most);

// The least odd first. `declared`: what a header says, which is not odd at all; nullptr: nothing is said, and the
// extents may have been told in another order.
std::vector<Naming> namings_of(const Ranked& ranked, const Extents& extents, const Ordering* declared);

// Whether the two put the same numbers in the same places.
bool are_same(const Ordering& a, const Ordering& b);

}  // namespace lq::diagnosis
