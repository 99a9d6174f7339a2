// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which modes are in a set: by its index alone, or, where that is damaged, record by record.
#pragma once

#include <limequat/options.hpp>

#include "format/findings.hpp"
#include "format/lime/walk.hpp"
#include "format/modes/index.hpp"

namespace lq::format::modes {

Catalog scan_set(base::ByteSource& file, const Limits& limits);

// A mode as its records tell, whatever the index says.
struct FoundMode {
  Entry entry;
  std::uint64_t end = 0;  // after its last record
};
// All whose records are whole, in the order of the file, committed or not.
std::vector<FoundMode> all_modes(base::ByteSource& file, const Description& description,
                                 const std::vector<Record>& records);
// Of these the first ones, without a gap.
std::vector<FoundMode> find_modes(base::ByteSource& file, const Description& description,
                                  const std::vector<Record>& records);

}  // namespace lq::format::modes
