// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// NAME or NAME:N, as records and fields are named on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace lq::cli {

struct NumberedName {
  std::string name;
  std::uint64_t index = 0;  // of those with that name, from 0
};

// Without digits behind it, a colon belongs to the name. Throws UsageError for a number beyond 64 bits.
NumberedName parse_numbered_name(const std::string& text);

}  // namespace lq::cli
