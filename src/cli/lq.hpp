// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The command line: which verb, which global options, which exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/session.hpp"

namespace lq::cli {

// Collective. `words` are those behind the program's name. The same exit code on every rank.
int run(Session& session, const std::vector<std::string>& words);

}  // namespace lq::cli
