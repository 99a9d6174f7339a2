// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time slices that are whole and yet in the wrong place: their links are unitary, and the plaquettes within them right,
// but not those to their neighbours in time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnosis/ordering.hpp"

namespace lq::diagnosis {

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
