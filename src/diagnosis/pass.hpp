// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Walks over a whole field: which sites are damaged and how, and whether time slices are in the right place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <limequat/inspect.hpp>

#include "comm/team.hpp"
#include "diagnosis/encoding.hpp"
#include "diagnosis/ordering.hpp"

namespace lq::diagnosis {

// Sites of one kind of damage.
struct Damaged {
  std::uint64_t sites = 0;
  std::uint64_t first = 0, last = 0;             // numbers in the file's sequence
  std::map<std::int64_t, std::uint64_t> slices;  // how many of them, by the coordinate in the last dimension
};

// Links of one direction with determinant -1.
struct Signs {
  std::uint64_t links = 0;
  std::uint64_t leaving_last_slice = 0;  // of the direction of the link
};

struct Pass {
  std::vector<std::uint32_t> crcs;              // of the sites in the file's sequence
  std::vector<std::uint32_t> crcs_as_declared;  // the same, had the numbers of each site been stored as declared
  Damaged zeros;                                // all numbers are 0
  Damaged not_finite;                           // a number is NaN or infinite
  Damaged not_unitary;                          // a link is none of SU(N)
  std::uint64_t border_zeros = 0;  // links that are 0 and leave the last time slice of a site that has others
  std::vector<Signs> signs;        // by direction
  double link_trace = 0;           // the average of Re Tr U / N, of the links that are finite
};

// What is walked over: links are looked at where there is an encoding.
struct Walk {
  std::uint64_t offset = 0;
  std::uint64_t site_bytes = 0;
  std::uint64_t sites = 0;   // that are there
  std::string_view of = {};  // which bytes they are, where not simply those of the file: " of its sites, ..."
  std::optional<Encoding> encoding = {};
  Ordering ordering = {};
  std::optional<Encoding> declared = {};  // where it is another, of as many numbers of the same precision
  std::vector<int> declared_links = {};
  double largest_distance = diagnosis::largest_distance;  // of links that are in the group
};

// By the threads of a team; what they find does not depend on their number. `progress` is told by the caller's.
Pass walk(const Walk& what, base::ByteSource& file, comm::Team& team, const Progress& progress);

// Time slices that are whole and yet in the wrong place: their links are unitary, and the plaquettes within them right,
// but not those to their neighbours in time.

// What stands where the slice behind `slice` should.
struct BrokenJoint {
  std::int64_t slice = 0;
  double plaquette = 0;                        // to the slice that follows in the file
  std::optional<std::int64_t> successor = {};  // the slice that does follow, elsewhere in the file
  std::optional<std::uint64_t> shift = {};     // by this many sites, in a circle, the slice that follows is moved up
};

struct Joints {
  double usual = 0;                 // the median plaquette between neighbouring slices
  std::vector<BrokenJoint> broken;  // of more than a few it is not asked where they come from
};

// Of a field whose slices are contiguous.
Joints examine_joints(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file);

}  // namespace lq::diagnosis
