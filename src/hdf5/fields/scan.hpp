// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An HDF5 file as a catalog: a record for each dataset, fields where a layout finds some.
#pragma once

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"

namespace lq::hdf5 {

// Nothing is thrown for what a file contains.
Catalog scan(base::ByteSource& file, const Limits& limits);

}  // namespace lq::hdf5
