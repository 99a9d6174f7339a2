// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sums of a field that is there, put in the place of those that are wrong or missing.
#pragma once

#include "format/format.hpp"

namespace lq::hdf5 {

// unsupported: the field is in a layout that we only read.
void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const format::Digest& sums);
// Marks the whole file as unproven (format/unproven.hpp): an attribute of the root group.
void state_unproven(base::EditedSource& file, const std::string& why);

}  // namespace lq::hdf5
