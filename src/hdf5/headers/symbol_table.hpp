// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of old files: a tree of the names of members, and the heap in which the names lie (HDF5 File Format
// Specification, version 3, III.A.1, III.B and III.D). Neither has a checksum, and the library (1.10.8) does not
// survive all that they may say.
#pragma once

#include "base/byte_source.hpp"
#include "hdf5/headers/superblock.hpp"

namespace lq::hdf5 {

// `message`: that of a group, with the addresses of tree and heap. malformed: they do not fit.
void require_sound_symbol_table(base::ByteSource& file, const Superblock& superblock, base::Bytes message);

}  // namespace lq::hdf5
