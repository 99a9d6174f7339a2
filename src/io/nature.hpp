// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plausibility of data: zeros, NaN and infinities, links off SU(N), and observables that differ from the stated ones. A
// checksum that agrees proves the numbers, not that they are those of the field, so it accepts less than it seems.
// Readers report this; programs that rewrite the data refuse, because the new file would have valid checksums over
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/metadata.hpp>
#include <limequat/physics.hpp>

#include "engine/transfer_stats.hpp"
#include "io/observe.hpp"
#include "physics/link_checks.hpp"

namespace lq::io {

// Stated observables have at least six significant digits, and were computed in any precision.
inline constexpr double largest_tolerance = 1e-5;
// Largest allowed difference between a measured value and a stated one with this number of digits.
double tolerance_of(double stated, Precision precision);
// If a larger share of links, or of sites with such links, is off SU(N), this is not damage but another kind of field
// (smeared or rescaled links).
inline constexpr double most_damaged_links = 0.1;

// Measured values of a field, and their uncertainty.
struct Estimate {
  Observed value;
  double uncertainty = 0;  // of the plaquette; a sample has no link trace
};

// Local. True if only the plaquette of the whole field can decide whether the zeros are a boundary.
bool may_be_boundary(const engine::TransferStats& stats, const Box& moved);

// Collective. For a measurable field with a stated plaquette: all of it if it is small, or `whole`, else a
// sample. Empty for others.
std::optional<Estimate> estimate(ScannedFile& file, const FieldEntry& entry, bool whole,
                                 const Communicator& communicator);

// What is wrong with such links.
std::string text_of(const physics::Joints::Broken& broken, const Extents& extents);

// Collective. For small fields of which neither an exact sum nor a stated plaquette vouches for the order.
std::optional<physics::Joints::Broken> broken_joint(ScannedFile& file, const FieldEntry& entry,
                                                    const engine::TransferStats& stats,
                                                    const Communicator& communicator);

// Messages, each naming the file, the field, and the place if there is one.
struct Nature {
  std::vector<std::string> damage;   // evidence of damage
  std::vector<std::string> remarks;  // links of another kind, boundaries
};

// Local. For the sites `moved`, a box within the stored ones.
Nature nature_of(const Catalog& catalog, const FieldEntry& entry, const Box& moved, const engine::TransferStats& stats,
                 const std::optional<Estimate>& measured = {},
                 const std::optional<physics::Joints::Broken>& broken = {});

// Local. Messages about stated values that differ from measured ones.
std::vector<std::string> wrong_statements(const Catalog& catalog, const FieldEntry& entry, const Estimate& measured);

// Local. checksum_mismatch if there is evidence of damage, unless that is accepted: the data would get valid checksums
// in a new file.
void require_undamaged(const Catalog& catalog, const FieldEntry& entry, const std::vector<std::string>& damage,
                       bool accept_damage);

// Observables in the texts of a file: values that another program measured, and their assumptions.

// A text with another value than the measured one may refer to something else, such as other smearing: the verifier
// decides.
struct ComparedObservable {
  std::string name;      // "Polyakov loop"
  std::string stated;    // as in the text
  std::string measured;  // the value it was compared with
  bool agrees = false;
  std::string remark = {};  // a possible explanation of a difference; empty: none
};

// Local. Polyakov loop, topological charge, t0 and w0 stated in the texts, compared with the values measured with this
// flow; values that were not measured are omitted.
std::vector<ComparedObservable> compare_observables(const Metadata& texts, const Observables& measured,
                                                    const FieldSpec& spec);

// Local. "xi_0 = 2.38": the statement in the texts that lattice spacings differ between directions.
std::optional<std::string> stated_anisotropy(const Metadata& texts);

}  // namespace lq::io
