// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the numbers of a gauge field are stored, found by trying: where they begin, in which precision, byte order and
// order of their axes, and of which SU(N). What fits is told by unitarity at the precision of the numbers; links and
// sites may still stand in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_source.hpp"
#include "diagnosis/encoding.hpp"

namespace lq::diagnosis {

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

}  // namespace lq::diagnosis
