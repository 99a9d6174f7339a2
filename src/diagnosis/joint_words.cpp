// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What broken joints between time slices come from, in sentences.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "diagnosis/words.hpp"

namespace lq::diagnosis {
namespace {

// The places of the slices in the order of time, where they are all there and only stand in another order; else empty.
std::vector<std::int64_t> places_in_time(const Joints& joints, std::int64_t slices) {
  std::vector<std::int64_t> successors;
  for (std::int64_t t = 0; t < slices; ++t) successors.push_back((t + 1) % slices);
  for (const BrokenJoint& broken : joints.broken) {
    if (!broken.successor) return {};
    successors[static_cast<std::size_t>(broken.slice)] = *broken.successor;
  }
  std::vector<std::int64_t> places{0};
  while (places.size() < successors.size()) {
    places.push_back(successors[static_cast<std::size_t>(places.back())]);
    if (std::ranges::count(places, places.back()) > 1) return {};
  }
  return places;
}

std::string places_text(std::uint64_t shift, std::uint64_t slice_sites) {
  const bool is_early = shift > slice_sites / 2;
  const std::uint64_t places = is_early ? slice_sites - shift : shift;
  return fmt::format("{} place{} too {}", places, places == 1 ? "" : "s", is_early ? "early" : "late");
}

std::string why(const BrokenJoint& broken, std::int64_t next, std::uint64_t slice_sites) {
  if (broken.successor) {
    return fmt::format("the slice that belongs after slice {} is at slice {}", broken.slice, *broken.successor);
  }
  if (!broken.shift)
    return "slice " + std::to_string(next) + " belongs to another configuration, or its sites are in another order";
  return fmt::format("the sites of slice {} stand {}", next, places_text(*broken.shift, slice_sites));
}

}  // namespace

std::vector<Finding> damage_in(const Joints& joints, const Extents& extents) {
  if (joints.broken.empty()) return {};
  const std::int64_t slices = extents[extents.size() - 1];
  const std::uint64_t slice_sites = volume(extents) / static_cast<std::uint64_t>(slices);
  if (const auto places = places_in_time(joints, slices); !places.empty()) {
    return {finding(Severity::error, "slice-order",
                    fmt::format("the time slices are in another order: sorted by time they are at places {} of the "
                                "file, which makes the plaquettes between neighbours right",
                                fmt::join(places, ", ")))};
  }
  if (constexpr std::size_t most_told = 8; joints.broken.size() > most_told) {
    return {
        finding(Severity::error, "slice-joint",
                fmt::format("{} of {} time slices do not continue the previous one, the first of them slice {}: the "
                            "plaquettes between them are far from those between other slices ({:.3f})",
                            joints.broken.size(), slices, (joints.broken.front().slice + 1) % slices, joints.usual))};
  }
  std::vector<Finding> all;
  for (std::size_t k = 0; k < joints.broken.size(); ++k) {
    const BrokenJoint& broken = joints.broken[k];
    const std::int64_t next = (broken.slice + 1) % slices;
    // Slices that are moved together, and the joint after them.
    if (broken.shift && k + 1 < joints.broken.size() && joints.broken[k + 1].shift == slice_sites - *broken.shift) {
      const std::int64_t end = joints.broken[++k].slice;
      all.push_back(finding(
          Severity::error, "slice-shifted",
          fmt::format("the sites of time slice{} stand {}, the last ones at the front: only so the plaquettes to the "
                      "neighbouring slices are right ({:.3f} as the sites stand, {:.3f} between other slices)",
                      next == end ? fmt::format(" {}", next) : fmt::format("s {} to {}", next, end),
                      places_text(*broken.shift, slice_sites), broken.plaquette, joints.usual)));
      continue;
    }
    all.push_back(
        finding(Severity::error, "slice-joint",
                fmt::format("time slice {} does not continue slice {}: the plaquettes between them average to {:.3f}, "
                            "between other slices to {:.3f}; {}",
                            next, broken.slice, broken.plaquette, joints.usual, why(broken, next, slice_sites))));
  }
  return all;
}

}  // namespace lq::diagnosis
