// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquette and link trace of a gauge field in a file, in bounded memory: what the file states, or slice by slice. Real
// numbers that can be links of U(1) are measured like a gauge field.
#pragma once

#include <optional>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>

#include "format/format.hpp"
#include "io/scan.hpp"

namespace lq::io {

struct Observed {
  std::optional<double> plaquette, link_trace;
};

// One link for each of two or more dimensions, of SU(2) or larger.
bool can_be_measured(const FieldSpec& spec, const Extents& extents) noexcept;

// Whether all that is wanted is what the file states, or cannot be measured.
bool is_stated(const FieldEntry& entry, format::Observables wanted) noexcept;

// Collective. As much as is `wanted`; what cannot be measured is what the file states, if anything. One slice of
// the dimension that is slowest in the file is held in memory, and a few of its planes.
Observed observe(ScannedFile& file, const FieldEntry& entry, const Communicator& communicator,
                 format::Observables wanted);

}  // namespace lq::io
