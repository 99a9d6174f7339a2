// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field written into an archive at once: its original is the file that ILDG or SciDAC would have made of it.
#pragma once

#include "format/format.hpp"

namespace lq::archive {

// The format of the original for such a field.
const format::FieldFormat& original_format(const FieldSpec& spec, const Extents& extents);
format::Layout plan_archive(const format::FieldRequest& request);

}  // namespace lq::archive
