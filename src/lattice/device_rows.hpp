// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory by description as a GPU is told of it that moves its numbers itself.
#pragma once

#include <vector>

#include <limequat/field.hpp>

#include "device/site_job.h"
#include "lattice/row_places.hpp"

namespace lq::lattice {

// Whether a GPU can: numbers lie there as they are, without norms.
inline bool is_moved_by_number(const MemoryLayout& layout) noexcept { return layout.norms == NormPlaces::none; }

// Where the numbers of a site lie, number by number as files and plain memory have them: addresses after its places.
// `data` as in a field.
std::vector<device::NumberPlace> numbers_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box,
                                            const void* data);

}  // namespace lq::lattice
