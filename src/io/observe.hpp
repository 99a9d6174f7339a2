// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquette and link trace of a gauge field in a file, in bounded memory: stated by the file, or measured slice by
// slice. Real numbers that can be links of U(1) are measured like a gauge field.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>

#include "base/byte_source.hpp"
#include "base/function_ref.hpp"
#include "engine/transfer_stats.hpp"
#include "format/format.hpp"
#include "io/scan.hpp"
#include "lattice/tiles.hpp"
#include "physics/slices.hpp"

namespace lq::io {

struct Observed {
  std::optional<double> plaquette, link_trace;
};

// One link for each of two or more dimensions, of SU(2) or larger.
bool can_be_measured(const FieldSpec& spec, const Extents& extents) noexcept;

// True if all requested values are stated by the file, or cannot be measured.
bool is_stated(const FieldEntry& entry, format::Observables wanted) noexcept;

// Collective. The `wanted` values; those that cannot be measured are taken from the file, if stated. One slice of
// the dimension that is slowest in the file is held in memory, and a few of its planes.
Observed observe(ScannedFile& file, const FieldEntry& entry, const Communicator& communicator,
                 format::Observables wanted);
// The same of a field whose files are read through `place`: twice, where what is measured is written and nothing else
// would tell that a bit was read wrongly.
Observed observe(storage::Transport& place, const Catalog& catalog, const FieldEntry& entry,
                 const Communicator& communicator, format::Observables wanted);

// The plaquettes of parts of a gauge field in a file, for formats whose files state them for their own part.

// Local. The sum of Re Tr U_P / N over the plaquettes that begin at the sites of the box: between each two directions,
// with the links of neighbours beyond it. Two of its slices are held in memory.
double plaquette_sum(base::ByteSource& sites, const Payload& payload, const Box& box);

// A gauge field read slice by slice along the slowest dimension of the file, for its plaquette and link
// trace. One slice is in memory, as rows of numbers (physics/slices.hpp) in the precision of the file; the next slice
// arrives a few planes at a time and replaces it. Callers may also receive the sites in transit.

// Local.
class MeasuredSlices {
 public:
  // Sites of a box in `memory`, in the order of the file and precision().
  using BoxFunction = base::FunctionRef<void(const Box& box, const std::byte* memory)>;

  // For a measurable field, or U(1). Both must outlive the object.
  MeasuredSlices(base::ByteSource& sites, const Payload& payload);

  static std::uint64_t slices(const Payload& payload);
  // The size of a slice of such a field in memory.
  static std::uint64_t slice_bytes(const Payload& payload);
  Precision precision() const noexcept { return precision_; }

  // For some of the slices; their sites go, each once, to `stats` and `seen`.
  physics::SliceSums sums(const lattice::Share& share, engine::TransferStats& stats, BoxFunction seen) &&;
  physics::SliceSums sums(const lattice::Share& share) &&;

 private:
  using Rows = std::unique_ptr<kernels::RowLine[]>;

  template <class Work>
  void for_each_piece(const Work& work) const;
  Box read(base::ByteSource& sites, std::uint64_t slice, std::size_t plane, std::size_t planes,
           engine::TransferStats& stats);
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
  std::unique_ptr<std::byte[]> piece_;  // sites as read
  std::vector<Rows> slice_;             // the rows of each plane
  Rows first_, behind_;  // of the first plane, after the next slice took its place, and of a plane of this
};

}  // namespace lq::io
