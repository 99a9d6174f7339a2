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

// A new file of one field whose sites are given region by region, in any order and by any rank. What a rank gives of
// its own box is kept in its memory until close() writes the file with all checksums, as write() does; what it gives of
// the boxes of others is kept twice for a moment, when close() sends it to them. A file with holes never gets its name,
// and an abandoned writer leaves none.
class LQ_API RegionWriter {
 public:
  // Collective. `spec` says what a site holds, such as gauge_spec(Precision::double_). invalid_argument: it does not
  // fit the lattice; out_of_memory.
  RegionWriter(const std::string& path, const Grid& grid, const FieldSpec& spec, const WriteOptions& options = {});
  ~RegionWriter();
  RegionWriter(RegionWriter&&) noexcept;
  RegionWriter& operator=(RegionWriter&&) noexcept;

  // Local. The sites of `region`, in coordinates of the lattice: those of `field` as if region.extents were its
  // lattice, so that functions are called with coordinates that begin at 0. Sites that were given twice count as given
  // last; of those that several ranks gave count what the rank gave whose box they are in, else what the highest rank
  // gave. invalid_argument: the region leaves the lattice, or the field is of another kind or precision; wrong_state:
  // after close(). Then the sites that were given before stay.
  void write(const Box& region, const Field& field);
  // Local. How many sites of this rank's box were not given yet; of what others gave this is known after close().
  std::uint64_t missing() const noexcept;
  // Collective. Writes the file. wrong_state: sites are missing on some rank, or it was closed before; other errors as
  // of write(). After an error there is no file, more sites may be given, and close() be called again; not if memory or
  // messages failed while sites went from rank to rank: then it is closed.
  Report close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lq
