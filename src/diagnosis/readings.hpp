// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the bytes of a gauge field may mean: all readings that fit, and which of them is proven by that. Numbers that
// are read wrongly are not in SU(N), or their plaquettes have a smaller average. Plaquettes cannot distinguish the
// names of directions: those given by a header or a person are used, unless another order of the extents
// would make the order of the numbers the usual one.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/diagnose.hpp>

#include "base/byte_source.hpp"
#include "diagnosis/encoding.hpp"
#include "diagnosis/ordering.hpp"
#include "diagnosis/record_marks.hpp"

namespace lq::diagnosis {

// The field in question: its bytes, its lattice, and the statements of the file.
struct Subject {
  std::string format;  // "raw": not recognised
  std::string field;
  FieldSpec spec;
  Extents extents;
  std::uint64_t begin = 0;   // of the bytes that may belong to the field
  std::uint64_t offset = 0;  // of the first site, and the end of the bytes that may belong to the field
  std::uint64_t end = 0;
  std::uint64_t site_bytes = 0;        // as declared
  bool is_gathered = false;            // these are bytes of the sequence of its sites, not of the file
  bool is_exact = false;               // the bytes between them are numbers of the field and nothing else
  bool is_described = true;            // by the file; else the form of ILDG files is assumed
  bool is_told = false;                // the lattice was given, and replaces the file's statement
  std::optional<Encoding> declared;    // for gauge fields with a link for each dimension
  Ordering ordering;                   // as declared
  std::optional<Precision> said = {};  // in the header, if the length of the data implies another one
  std::optional<double> plaquette;
  std::optional<Checksum> stored;
  std::vector<Finding> findings;  // of the file's structure
  ByteOrder byte_order = ByteOrder::big;
  Catalog catalog;
  std::optional<FieldEntry> entry;  // in the file; empty if the file does not describe the field
};

// unknown_format, invalid_argument, no_such_record, unsupported: the field cannot be examined here.
Subject subject_of(base::ByteSource& file, const DiagnoseOptions& options);

// Finds by trial how the numbers of a gauge field are stored: their first byte, precision, byte order and
// order of axes, and SU(N). Unitarity at the precision of the numbers shows what fits; links and
// sites may still be in any order.

// Bytes that contain the numbers: those of a file, or of its records.
struct Place {
  base::ByteSource* file = nullptr;
  std::uint64_t begin = 0, end = 0;
};

struct StoredAs {
  std::size_t place = 0;
  Encoding encoding;
  Fit fit;           // of a few sites
  int bad_ends = 0;  // links of the first and the last site that are zero or not in the group
};

struct EncodingQuery {
  std::uint64_t sites = 0;
  Encoding declared;
  bool any_colors = false;  // else only the declared number
};

// The best-fitting ones; empty: none fits.
std::vector<StoredAs> find_encodings(const std::vector<Place>& places, const EncodingQuery& sought);

// One of these, if it fits.
std::vector<StoredAs> try_encoding(const Place& place, const Encoding& encoding, std::uint64_t sites);

// True if there are links of the group right before the first number or right after the last one: the field continues.
bool goes_on(const Place& place, const Encoding& encoding, std::uint64_t sites);

// One way to extract the numbers of each site from a file.
struct Extraction {
  Encoding encoding;  // as in the file, or in its records
  Fit fit;
  const RecordChain* marks = nullptr;       // of the records that contain the numbers
  std::unique_ptr<base::ByteSource> sites;  // if they are distributed over arrays: the sites in sequence
  Sequence sequence;                        // of the sites
  bool goes_on = false;                     // there are more links before the first one or after the last

  std::uint64_t offset() const noexcept { return marks ? marks->in_file(encoding.offset) : encoding.offset; }
};

struct Choice {
  const Extraction* way = nullptr;
  Ordering ordering;
  Average plaquette;
  int oddity = 0;
  bool is_declared = false;
};

struct Readings {
  std::deque<RecordChain> chains;
  std::deque<std::unique_ptr<base::ByteSource>> unmarked;
  std::deque<Extraction> ways;   // empty: no links of the group were found
  std::vector<Choice> fitting;   // the most usual one first; if there are several, nothing distinguishes them
  std::vector<Choice> others;    // other readings that were tried: the largest plaquettes first
  bool is_proven = false;        // exactly one fits, without assumptions
  bool is_order_known = true;    // else no order has plaquettes above chance
  std::optional<double> larger;  // a larger plaquette in an order that was rejected in favour of the declared one
  std::uint64_t sampled_sites = 0;
};

// `file`: the bytes of the file, or of the sequence of its sites.
Readings find_readings(const Subject& subject, base::ByteSource& file);
// A reading in the form of Diagnosis::readings.
Reading reading_of(const Subject& subject, const Choice& one, bool is_proven);

}  // namespace lq::diagnosis
