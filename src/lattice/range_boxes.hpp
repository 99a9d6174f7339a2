// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any range of the sequence of a box's sites as boxes, in the order of the sequence.
#pragma once

#include <cstdint>

#include <limequat/lattice.hpp>

namespace lq::lattice {

class RangeBoxes {
 public:
  // Sites begin .. end - 1 of the box, in boxes of at most `max_sites` sites (at least one); `order` as in SiteOrder.
  RangeBoxes(const Box& box, const SiteOrder& order, std::uint64_t begin, std::uint64_t end, std::uint64_t max_sites);
  bool next(Box& part);  // false after the last one

 private:
  Box box_;
  SiteOrder order_;
  std::uint64_t at_, end_, max_sites_;
};

}  // namespace lq::lattice
