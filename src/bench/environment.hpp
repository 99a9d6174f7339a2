// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where a benchmark ran, as JSON. Nothing that tells whose machine it was: no host, user or directory.
#pragma once

#include <string>

namespace lq::bench {

// Local. {"version", "compiler", "processor", "cores", "system", "mpi", "file_system", "runs", "date"}
// `mpi`: the library in its own words.
std::string environment_json(const std::string& mpi, const std::string& directory, int runs);

}  // namespace lq::bench
