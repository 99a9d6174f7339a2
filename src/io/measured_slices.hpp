// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field that is read slice by slice of the dimension that is slowest in the file, for its plaquette and link
// trace. One slice is in memory, as rows of numbers (physics/slices.hpp) in the precision of the file; that after it
// comes a few planes at a time and takes its place. Whoever wants the sites, too, sees them on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "base/function_ref.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/tiles.hpp"
#include "physics/slices.hpp"

namespace lq::io {

// Local.
class MeasuredSlices {
 public:
  // Sites of a box in `memory`, in the order of the file and precision().
  using Seen = base::FunctionRef<void(const Box& box, const std::byte* memory)>;

  // Of a field that can be measured, or of U(1). Both outlive the object.
  MeasuredSlices(base::ByteSource& sites, const Payload& payload);

  static std::uint64_t slices(const Payload& payload);
  // What the sites of a slice of such a field have in memory.
  static std::uint64_t slice_bytes(const Payload& payload);
  Precision precision() const noexcept { return precision_; }

  // Of some of the slices, and the sites of these, each once, for `stats` and `seen`.
  physics::SliceSums sums(const lattice::Share& share, engine::TransferStats& stats, Seen seen) &&;
  physics::SliceSums sums(const lattice::Share& share) &&;

 private:
  using Rows = std::unique_ptr<kernels::RowLine[]>;

  template <class Work>
  void for_each_piece(const Work& work) const;
  Box read(std::uint64_t slice, std::size_t plane, std::size_t planes, engine::TransferStats& stats);
  void to_rows(std::size_t plane, kernels::RowLine* rows);
  void add(std::size_t plane);

  base::ByteSource& sites_;
  const Payload& payload_;
  SiteOrder order_;
  bool is_u1_;
  Precision precision_;  // in memory
  physics::SliceSums sums_;
  std::size_t plane_bytes_, planes_at_once_;
  engine::TransferStats unseen_;
  std::unique_ptr<std::byte[]> piece_;  // sites as they are read
  std::vector<Rows> slice_;             // the rows of each plane
  Rows first_, behind_;  // of the first plane, when the slice behind has its place, and of a plane of this
};

}  // namespace lq::io
