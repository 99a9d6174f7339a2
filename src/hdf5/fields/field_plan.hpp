// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field on its way into an HDF5 file, as data: where its numbers go, and the bytes of the file's metadata once their
// sums are known. Data come first, from the end of what is there; all metadata lie after them, except for the
// superblock and what it leads to.
#pragma once

#include "format/format.hpp"

namespace lq::hdf5 {

format::Layout plan_field(const format::FieldRequest& request);
// Bytes under a name: a dataset of unsigned bytes.
format::Layout plan_record(const format::RecordRequest& request);

// A file that shows fields which lie in files of other formats, as datasets of the layout native with external storage.
std::vector<format::Literal> refer(std::span<const format::Reference> fields);

}  // namespace lq::hdf5
