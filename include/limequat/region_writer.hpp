// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field written region by region, for programs that never have all of it in one array.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <memory>
#include <string>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq {

// A new file of one field whose sites are given region by region, in any order. Each rank gives the sites of its own
// box and keeps them in memory until close() writes the file with all checksums, as write() does. A file with holes
// never gets its name, and an abandoned writer leaves none.
class LQ_API RegionWriter {
 public:
  // Collective. `spec` describes a site, for example gauge_spec(Precision::double_). invalid_argument: it does not fit
  // the lattice; out_of_memory.
  RegionWriter(const std::string& path, const Grid& grid, const FieldSpec& spec, const WriteOptions& options = {});
  ~RegionWriter();
  RegionWriter(RegionWriter&&) noexcept;
  RegionWriter& operator=(RegionWriter&&) noexcept;

  // Local. Stores the sites of `region`, which is in coordinates of the lattice and within this rank's box. `field` has
  // region.extents as its lattice, so functions are called with coordinates that begin at 0. If a site is given twice,
  // the last value counts. invalid_argument: the region leaves the box, or the field has another kind or precision;
  // wrong_state: after close(). After an error the sites given before stay.
  void write(const Box& region, const Field& field);
  // Local. The number of sites of this rank's box that have not been given yet.
  std::uint64_t missing() const noexcept;
  // Collective. Writes the file. wrong_state: sites are missing on some rank, or the writer is closed; also throws what
  // lq::write() throws. After an error there is no file; you may give more sites and call close() again.
  Report close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lq
