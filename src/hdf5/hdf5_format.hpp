// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 as a format: its row of the table of formats, and the sides that it has.
#pragma once

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/format.hpp"

namespace lq::hdf5 {

const format::Format& format();

// An HDF5 file as a catalog: a record for each dataset, fields where a layout finds some.

// Nothing is thrown for what a file contains.
Catalog scan(base::ByteSource& file, const Limits& limits);

// A field on its way into an HDF5 file, as data: where its numbers go, and the bytes of the file's metadata once their
// sums are known. Data come first, from the end of what is there; all metadata lie after them, except for the
// superblock and what it leads to.

format::Layout plan_field(const format::FieldRequest& request);
// Bytes under a name: a dataset of unsigned bytes.
format::Layout plan_record(const format::RecordRequest& request);

// A file that shows fields which lie in files of other formats, as datasets of the layout native with external storage.
std::vector<format::Literal> refer(std::span<const format::Reference> fields);

// The sums of a field that is there, put in the place of those that are wrong or missing.

// unsupported: the field is in a layout that we only read.
void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const format::Digest& sums);
// Marks the whole file as unproven (format/format.hpp): an attribute of the root group.
void state_unproven(base::EditedSource& file, const std::string& why);

// Fields and records of the user's in HDF5 files.
const format::FieldFormat& field_format();

// What can be compared in an HDF5 file besides the sums of fields: digests of small objects, checksums of chunks, those
// of the format in the headers of objects, and whether data lie where other data are.
const format::Examiner& examiner();

// What is known of the right bytes of a damaged HDF5 file.
const format::Mender& mender();

}  // namespace lq::hdf5
