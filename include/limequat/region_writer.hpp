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

// Writes a file with one field whose sites are given region by region, in any order and by any rank. Sites of a rank's
// own box stay in its memory until close() writes the file with all checksums, as write() does. Sites of other boxes
// are held twice for a moment, when close() sends them there. A file with holes never gets its name, and an abandoned
// writer leaves none.
class LQ_API RegionWriter {
 public:
  // Collective. `spec` describes a site, for example gauge_spec(Precision::double_). invalid_argument: it does not fit
  // the lattice; out_of_memory.
  RegionWriter(const std::string& path, const Grid& grid, const FieldSpec& spec, const WriteOptions& options = {});
  ~RegionWriter();
  RegionWriter(RegionWriter&&) noexcept;
  RegionWriter& operator=(RegionWriter&&) noexcept;

  // Local. Stores the sites of `region`, which is in coordinates of the lattice. `field` has region.extents as its
  // lattice, so functions are called with coordinates that begin at 0. If a site is given twice, the last value counts;
  // if several ranks give it, the rank whose box contains it wins, otherwise the highest rank. invalid_argument: the
  // region leaves the lattice, or the field has another kind or precision; wrong_state: after close(). After an error
  // the sites given before stay.
  void write(const Box& region, const Field& field);
  // Local. The number of sites of this rank's box that have not been given yet; those from other ranks count after
  // close().
  std::uint64_t missing() const noexcept;
  // Collective. Writes the file. wrong_state: sites are missing on some rank, or the writer is closed; also throws what
  // lq::write() throws. After an error there is no file; you may give more sites and call close() again, unless memory
  // or messages failed while sites were exchanged: then the writer is closed.
  Report close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lq
