// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What can be compared in an HDF5 file besides the sums of fields: digests of small objects, checksums of chunks, those
// of the format in the headers of objects, and whether data lie where other data are.
#pragma once

#include "format/format.hpp"

namespace lq::hdf5 {

const format::Examiner& examiner();

}  // namespace lq::hdf5
