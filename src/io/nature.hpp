// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What data look like that pass without a checksum which proves them: zeros, numbers that are none, links off SU(N),
// and observables that are not those the file states. Who reads says so; who rewrites them refuses, for the new file
// would have right checksums over them.
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

namespace lq::io {

// Stated observables have at least six significant digits, and were computed in whatever precision.
inline constexpr double largest_tolerance = 1e-5;
// By how much a measured value may differ from the one that is stated with so many digits.
double tolerance_of(double stated, Precision precision);
// More links, or sites with such, than this share off SU(N) are no damage but another kind of field (smeared or
// rescaled links).
inline constexpr double most_damaged_links = 0.1;

// What was measured of a field, and by how much it may be wrong.
struct Estimate {
  Observed value;
  double uncertainty = 0;  // of the plaquette; a sample has no link trace
};

// Local. Whether zeros are such that the whole plaquette tells whether they are a boundary.
bool may_be_boundary(const engine::TransferStats& stats, const Box& moved);

// Collective. Of a field with a stated plaquette that can be measured: all of it where it is small, or `whole`, else a
// sample. Nothing for others.
std::optional<Estimate> estimate(ScannedFile& file, const FieldEntry& entry, bool whole,
                                 const Communicator& communicator);

// Sentences, each naming the file, the field, and the place where there is one.
struct Nature {
  std::vector<std::string> damage;   // speaks against the data
  std::vector<std::string> remarks;  // links of another kind, boundaries
};

// Local. Of the sites `moved`, a box within those that are stored.
Nature nature_of(const Catalog& catalog, const FieldEntry& entry, const Box& moved, const engine::TransferStats& stats,
                 const std::optional<Estimate>& measured = {});

// Local. checksum_mismatch where something speaks against data that no checksum proves, unless that is accepted: they
// would get right checksums in a new file.
void require_undamaged(const Catalog& catalog, const FieldEntry& entry, const std::vector<std::string>& damage,
                       bool accept_damage);

// What the texts of a file say about observables: values that another program measured, and what they presume.

// Texts that state another value than was measured may speak of something else, such as other smearing: this is for
// the verifier to judge.
struct ComparedObservable {
  std::string name;      // "Polyakov loop"
  std::string stated;    // as the text has it
  std::string measured;  // what it was compared with
  bool agrees = false;
  std::string remark = {};  // what may explain that it does not; empty: nothing
};

// Local. Polyakov loop, topological charge, t0 and w0 that the texts state, compared with what was measured with so
// much flow; what was not measured is left out.
std::vector<ComparedObservable> compare_observables(const Metadata& texts, const Observables& measured,
                                                    const FieldSpec& spec);

// Local. "xi_0 = 2.38": what in the texts says that lattice spacings differ between directions.
std::optional<std::string> stated_anisotropy(const Metadata& texts);

}  // namespace lq::io
