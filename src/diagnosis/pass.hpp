// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Walks over a whole field: finds damaged sites and the kind of damage, and time slices in the wrong place.
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
  std::map<std::int64_t, std::uint64_t> slices;  // number of sites, by the coordinate in the last dimension
};

// Links of one direction with determinant -1.
struct Signs {
  std::uint64_t links = 0;
  std::uint64_t leaving_last_slice = 0;  // in the direction of the link
};

struct Pass {
  std::vector<std::uint32_t> crcs;              // of the sites in the file's sequence
  std::vector<std::uint32_t> crcs_as_declared;  // the same, if the numbers of each site had been stored as declared
  Damaged zeros;                                // all numbers are 0
  Damaged not_finite;                           // a number is NaN or infinite
  Damaged not_unitary;                          // a link is not in SU(N)
  std::uint64_t border_zeros = 0;  // links that are 0 and leave the last time slice, at sites with nonzero links
  std::vector<Signs> signs;        // by direction
  double link_trace = 0;           // the average of Re Tr U / N over finite links
};

// What to walk over: links are examined if there is an encoding.
struct Walk {
  std::uint64_t offset = 0;
  std::uint64_t site_bytes = 0;
  std::uint64_t sites = 0;   // existing sites
  std::string_view of = {};  // names the bytes, unless they are simply those of the file: " of its sites, ..."
  std::optional<Encoding> encoding = {};
  Ordering ordering = {};
  std::optional<Encoding> declared = {};  // if different, with as many numbers of the same precision
  std::vector<int> declared_links = {};
  double largest_distance = diagnosis::largest_distance;  // of links that are in the group
};

// Uses the threads of a team; the result does not depend on their number. The calling thread reports `progress`.
Pass walk(const Walk& what, base::ByteSource& file, comm::Team& team, const Progress& progress);

// Time slices that are intact but in the wrong place: links are unitary, and plaquettes within the slice are correct,
// but not those to its neighbours in time.

// What is found instead of the slice that should follow `slice`.
struct BrokenJoint {
  std::int64_t slice = 0;
  double plaquette = 0;                        // with the slice that follows in the file
  std::optional<std::int64_t> successor = {};  // the correct next slice, elsewhere in the file
  std::optional<std::uint64_t> shift = {};     // the next slice is shifted up by this many sites, cyclically
};

struct Joints {
  double usual = 0;                 // the median plaquette between neighbouring slices
  std::vector<BrokenJoint> broken;  // if there are more than a few, their origins are not determined
};

// For a field whose slices are contiguous.
Joints examine_joints(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file);

}  // namespace lq::diagnosis
