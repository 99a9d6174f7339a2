// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What each byte of an HDF5 file means, as far as it can be told.
#pragma once

#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"

namespace lq::hdf5 {

// In order of offset, without gaps: superblock, data of datasets, and what the library keeps between them.
std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog);

}  // namespace lq::hdf5
