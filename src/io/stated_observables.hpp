// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the texts of a file say about observables: values that another program measured, and what they presume.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/metadata.hpp>
#include <limequat/physics.hpp>

namespace lq::io {

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
