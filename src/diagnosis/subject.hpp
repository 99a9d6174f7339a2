// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The field that is asked about: which bytes, which lattice, and what the file says of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/diagnose.hpp>

#include "diagnosis/encoding.hpp"
#include "diagnosis/ordering.hpp"

namespace lq::diagnosis {

struct Subject {
  std::string format;  // "raw": none is recognised
  std::string field;
  FieldSpec spec;
  Extents extents;
  std::uint64_t begin = 0;   // of what may belong to the field
  std::uint64_t offset = 0;  // of the first site, and the end of what may belong to the field
  std::uint64_t end = 0;
  std::uint64_t site_bytes = 0;        // as declared
  bool is_gathered = false;            // these are bytes of the sequence of its sites, not of the file
  bool is_exact = false;               // what is between them are numbers of the field and nothing else
  bool is_described = true;            // the file says what it holds; else what ILDG files are is taken for it
  bool is_told = false;                // the lattice, instead of what the file says
  std::optional<Encoding> declared;    // of gauge fields with a link for each dimension
  Ordering ordering;                   // as declared
  std::optional<Precision> said = {};  // in the header, where the length of the data tells another one
  std::optional<double> plaquette;
  std::optional<Checksum> stored;
  std::vector<Finding> findings;  // of the file's structure
  ByteOrder byte_order = ByteOrder::big;
  Catalog catalog;
  std::optional<FieldEntry> entry;  // in it; none where the file says nothing of the field
};

// unknown_format, invalid_argument, no_such_record, unsupported: the field is not asked about here.
Subject subject_of(base::ByteSource& file, const DiagnoseOptions& options);

}  // namespace lq::diagnosis
