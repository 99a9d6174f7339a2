// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
// What is known of the right bytes of a damaged HDF5 file.
#pragma once

#include "format/format.hpp"

namespace lq::hdf5 {

const format::Mender& mender();

}  // namespace lq::hdf5
