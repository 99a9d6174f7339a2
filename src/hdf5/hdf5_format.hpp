// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 as a format: its row in the table of formats, and its interfaces.
#pragma once

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/format.hpp"

namespace lq::hdf5 {

const format::Format& format();

// An HDF5 file as a catalog: a record for each dataset, and fields found by the layouts.

// Never throws because of the contents of a file.
Catalog scan(base::ByteSource& file, const Limits& limits);

// A field to be written to an HDF5 file, as data: the places of its numbers, and the bytes of the file's metadata once
// its sums are known. Data are written first, after the existing contents; all metadata follow them, except the
// superblock and the structures to which it points.

format::Layout plan_field(const format::FieldRequest& request);
// A named record: a dataset of unsigned bytes.
format::Layout plan_record(const format::RecordRequest& request);

// A file that presents fields in files of other formats as datasets of the layout native with external storage.
std::vector<format::Literal> refer(std::span<const format::Reference> fields);

// Replaces wrong or missing sums of an existing field.

// unsupported: the layout of the field is read-only.
void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const format::Digest& sums);
// Marks the whole file as unproven (format/format.hpp): an attribute of the root group.
void state_unproven(base::EditedSource& file, const std::string& why);

// The user's fields and records in HDF5 files.
const format::FieldFormat& field_format();

// Checks of an HDF5 file beyond the sums of fields: digests of small objects, checksums of chunks, checksums of the
// format in headers of objects, and overlapping data.
const format::Examiner& examiner();

// Repairs a damaged HDF5 file where the correct bytes are known.
const format::Repairer& repairer();

}  // namespace lq::hdf5
