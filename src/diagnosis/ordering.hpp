// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the order of sites, links, rows and columns by the plaquette: in a wrong order the four links around a
// plaquette are unrelated, and the average is near zero.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/team.hpp"
#include "diagnosis/encoding.hpp"
#include "diagnosis/site_map.hpp"

namespace lq::diagnosis {

struct Ordering {
  SiteMap sites;
  SiteOrder order;         // of `sites`, if it is one sequence
  std::vector<int> links;  // the direction of each link of the file
  bool is_transposed = false;
};

struct Average {
  double value = 0;
  double error = 0;  // of a sample
  double noise = 0;  // of the average, even over all plaquettes
  std::uint64_t plaquettes = 0;
  double part = 1;  // fraction of plaquettes averaged; the others contain a zero link, as at open boundaries
};

// The numbers of a field, site by site from the offset of the encoding on.
struct Sequence {
  Encoding encoding;
  base::ByteSource* file = nullptr;
};

// The factor by which a stated plaquette exceeds the average over colours: conventions of programs; 0: none of them.
double factor_of(const Average& average, double stated);

// An order of sites and links, without names of directions: digits are the dimensions, fastest first.
struct Ranked {
  std::size_t sequence = 0;  // index among those tried
  Extents digits;
  Parity parity = Parity::none;
  std::vector<int> digit_of_link;
  bool is_transposed = false;
  Average plaquette;
};

// Names for the digits of an order. No plaquette can distinguish them.
struct Naming {
  Ordering ordering;    // on the lattice of `ordering.sites`
  int oddity = 0;       // how unusual it is: 0 is x, y, z, t for sites and links
  bool is_told = true;  // the extents are in the given order
};

// Sites at which plaquettes are measured: all, or the given number at random (the same in each call).
std::vector<Coord> sample_of(const Extents& extents, std::uint64_t most);

// Over the given sites; plaquettes with zero or non-finite links are omitted.
Average average_plaquette(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file,
                          const std::vector<Coord>& sites);
// Sections of the sequence of sites whose plaquettes are much smaller than elsewhere: their links belong to other
// sites, or to another field.
struct LowRegion {
  std::uint64_t sites = 0;            // of all sections
  std::uint64_t first = 0, last = 0;  // numbers in the sequence
  double plaquette = 0;               // of the lowest section
};

struct WholePlaquette {
  Average average;
  LowRegion low;
};

// Over all sites, using the threads of a team; the result does not depend on their number.
WholePlaquette whole_plaquette(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file,
                               comm::Team& team);

// All orders of the sites as one sequence, also by parity, all orders of the links, and both orders of rows and
// columns; the largest plaquette first, from up to `most` sites for orders that may be correct.
std::vector<Ranked> rank_orderings(const std::vector<Sequence>& sequences, const Extents& extents, std::uint64_t most);

// The least unusual first. `declared`: the order of a header, which counts as usual; nullptr: none, and the
// extents may have been given in another order.
std::vector<Naming> namings_of(const Ranked& ranked, const Extents& extents, const Ordering* declared);

// True if both put the same numbers in the same places.
bool are_same(const Ordering& a, const Ordering& b);

}  // namespace lq::diagnosis
