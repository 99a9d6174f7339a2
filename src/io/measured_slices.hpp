// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field that is read slice by slice of the dimension that is slowest in the file, for its plaquette and link
// trace. One slice is in memory, in the precision of the file; that behind it comes a few planes at a time and takes
// its place. Whoever wants the sites, too, sees them on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "base/function_ref.hpp"
#include "lattice/tiles.hpp"
#include "physics/slices.hpp"
#include "pump/tally.hpp"

namespace lq::io {

// Local.
class MeasuredSlices {
 public:
  // Sites of a box in `memory`, in the order of the file and precision().
  using Seen = base::FunctionRef<void(const Box& box, const std::byte* memory)>;

  // Of a field that can be measured, or of U(1). Both outlive the object.
  MeasuredSlices(base::ByteSource& sites, const Payload& payload);

  std::uint64_t slices() const noexcept { return static_cast<std::uint64_t>(payload_.extents[order_.back()]); }
  // What a slice of such a field has in memory.
  static std::uint64_t slice_bytes(const Payload& payload);
  Precision precision() const noexcept { return precision_; }

  // Of some of the slices, and the sites of these, each once, for `tally` and `seen`.
  physics::SliceSums sums(const lattice::Share& share, pump::Tally& tally, Seen seen) &&;
  physics::SliceSums sums(const lattice::Share& share) &&;

 private:
  using Memory = std::unique_ptr<std::byte[]>;

  Memory memory_for(std::size_t planes) const {
    return std::make_unique_for_overwrite<std::byte[]>(planes * plane_bytes_);
  }
  template <class Work>
  void for_each_piece(const Work& work) const;
  Box read(std::uint64_t slice, std::size_t plane, std::size_t planes, std::byte* memory, pump::Tally& tally);
  void add(std::uint64_t slice, pump::Tally& tally, Seen seen);
  const std::byte* plane_at(std::size_t plane) const noexcept;
  void add(const std::byte* plane, const std::byte* next, const std::byte* behind);

  base::ByteSource& sites_;
  const Payload& payload_;
  SiteOrder order_;
  bool is_u1_;
  Precision precision_;  // in memory
  physics::SliceSums sums_;
  std::size_t plane_bytes_, planes_at_once_;
  pump::Tally unseen_;
  std::vector<Memory> slice_;  // so many planes in each
  Memory first_, behind_;
};

}  // namespace lq::io
