// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The spinor basis of a propagator from a point source, told at the source: there S = gamma5 S^dagger gamma5 whatever
// the gauge field is, and gamma5 is another matrix in each basis.
#pragma once

#include <optional>

#include <limequat/diagnose.hpp>

#include "base/byte_source.hpp"
#include "diagnosis/subject.hpp"

namespace lq::diagnosis {

enum class Basis {
  chiral,  // gamma5 is diagonal: DeGrand-Rossi
  dirac,   // gamma5 exchanges upper and lower spins: Dirac-Pauli, UKQCD
};

struct BasisFit {
  Coord source;       // the site with the largest numbers
  double chiral = 0;  // the largest |element| of S - gamma5 S^dagger gamma5 over that of S
  double dirac = 0;
  std::optional<Basis> basis() const noexcept;
};

// Nothing: the field is no propagator of four spins, or holds zeros only.
std::optional<BasisFit> basis_of(const Subject& subject, base::ByteSource& file, const Progress& progress);

}  // namespace lq::diagnosis
