// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace lq::hdf5 {

// The checksum of HDF5's metadata from version 1.8 on: the hash lookup3 of Bob Jenkins, begun with 0.
std::uint32_t metadata_sum(base::Bytes bytes) noexcept;

}  // namespace lq::hdf5
