// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench parts: the ceilings of this machine, one by one.
#pragma once

#include <string>

#include "cli/session.hpp"

namespace lq::cli {

struct BenchPartsOptions {
  std::string path = ".";  // folder to measure in
  std::string json;        // file for the results; empty: none, "-": standard output instead of the table
  double seconds = 10;
};

// Collective. The exit code.
int bench_parts(Session& session, const BenchPartsOptions& options);

}  // namespace lq::cli
