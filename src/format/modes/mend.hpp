// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set whose index is damaged, or whose end is missing, becomes one of the modes that are whole; and the sums of a
// mode are put in their places (formats/modes.md 8).
#pragma once

#include "format/format.hpp"
#include "format/modes/index.hpp"

namespace lq::format::modes {

void mend(base::EditedSource& file, const Limits& limits, Findings& done);
// In the record of the mode and in the index.
void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const Digest& sums);

}  // namespace lq::format::modes
