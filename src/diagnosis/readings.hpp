// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the bytes of a gauge field may mean: all readings that fit, and which of them is proven by that. Numbers that
// are read wrongly are not in SU(N), or their plaquettes average to less; what no plaquette can tell apart are the
// names of directions, of which those are believed that a header or a person gave, unless another order of the extents
// would make the numbers stand as they usually do.
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

// The field that is asked about: which bytes, which lattice, and what the file says of them.
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

// How the numbers of a gauge field are stored, found by trying: where they begin, in which precision, byte order and
// order of their axes, and of which SU(N). What fits is told by unitarity at the precision of the numbers; links and
// sites may still stand in any order.

// Bytes of which some are the numbers: those of a file, or of its records.
struct Place {
  base::ByteSource* file = nullptr;
  std::uint64_t begin = 0, end = 0;
};

struct StoredAs {
  std::size_t place = 0;
  Encoding encoding;
  Fit fit;           // of a few sites
  int bad_ends = 0;  // links of the first and the last site that are none of the group, or zero
};

struct Sought {
  std::uint64_t sites = 0;
  Encoding declared;
  bool any_colors = false;  // else those that are declared
};

// Those that fit best; empty: none does.
std::vector<StoredAs> find_encodings(const std::vector<Place>& places, const Sought& sought);

// One of them, if it fits.
std::vector<StoredAs> try_encoding(const Place& place, const Encoding& encoding, std::uint64_t sites);

// Whether there are links of the group right before the first number or right after the last one: the field goes on.
bool goes_on(const Place& place, const Encoding& encoding, std::uint64_t sites);

// One way to take the numbers of each site out of a file.
struct Way {
  Encoding encoding;  // as in the file, or in its records
  Fit fit;
  const RecordChain* marks = nullptr;       // of records that hold the numbers
  std::unique_ptr<base::ByteSource> sites;  // where they are dealt into arrays: the sites one after the other
  Sequence sequence;                        // of the sites
  bool goes_on = false;                     // there are more links before the first one or after the last

  std::uint64_t offset() const noexcept { return marks ? marks->in_file(encoding.offset) : encoding.offset; }
};

struct Choice {
  const Way* way = nullptr;
  Ordering ordering;
  Average plaquette;
  int oddity = 0;
  bool is_declared = false;
};

struct Readings {
  std::deque<RecordChain> chains;
  std::deque<std::unique_ptr<base::ByteSource>> unmarked;
  std::deque<Way> ways;          // empty: no links of the group were found
  std::vector<Choice> fitting;   // what is most usual first; of several nothing tells which it is
  std::vector<Choice> others;    // what else was tried: the largest plaquettes first
  bool is_proven = false;        // one fits, and needs no belief
  bool is_order_known = true;    // else no order has plaquettes of more than chance
  std::optional<double> larger;  // a plaquette in an order that was not believed, against the declared one
  std::uint64_t sampled_sites = 0;
};

// `file`: the bytes of the file, or of the sequence of its sites.
Readings find_readings(const Subject& subject, base::ByteSource& file);
// What Diagnosis::readings says of one.
Reading reading_of(const Subject& subject, const Choice& one, bool is_proven);

}  // namespace lq::diagnosis
