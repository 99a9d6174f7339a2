// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields and records of the user's in HDF5 files.
#pragma once

#include "format/format.hpp"

namespace lq::hdf5 {

const format::FieldFormat& field_format();

}  // namespace lq::hdf5
