// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged SciDAC and ILDG files put right (formats/scidac.md 9): their headers, documents whose contents follow from
// another document and the length of the data, and the records of sums.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "format/format.hpp"

namespace lq::format::scidac {

// Writes ildg-format; none where such a document is not to be made.
using EncodeLattice = std::function<std::string(const FieldSpec& spec, const Extents& extents)>;

// As Mender::mend.
std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, const EncodeLattice& encode_lattice,
                                  Findings& done);

// As FieldFormat::store_sums.
void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const Digest& sums);

}  // namespace lq::format::scidac
