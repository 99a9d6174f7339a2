// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Attributes of objects that have many: they lie in the blocks of a fractal heap (HDF5 File Format Specification,
// version 3, III.G), whose blocks can be looked through.
#pragma once

#include <functional>

#include "base/byte_source.hpp"
#include "hdf5/headers/superblock.hpp"

namespace lq::hdf5 {

// Hands out the direct blocks of the heap at that address, with their places in the file. malformed.
void for_each_heap_block(base::ByteSource& file, const Superblock& superblock, std::uint64_t heap,
                         const std::function<void(base::Bytes block, std::uint64_t offset)>& work);

}  // namespace lq::hdf5
