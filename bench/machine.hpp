// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where a number was measured, as the "environment" of the result.
#pragma once

#include <string>

namespace bench {

// One JSON object: version, compiler, processor, cores, MPI, file system of `path`, runs, date.
std::string environment_json(const std::string& path, int runs);

}  // namespace bench
