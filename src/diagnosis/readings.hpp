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
#include <vector>

#include "base/byte_source.hpp"
#include "diagnosis/ordering.hpp"
#include "diagnosis/record_marks.hpp"
#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

namespace lq::diagnosis {

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
