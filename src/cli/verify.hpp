// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What lq verify says of one file, and of all below folders.
#pragma once

#include <string>
#include <vector>

#include <limequat/inspect.hpp>

#include "cli/session.hpp"

namespace lq::cli {

// "FAILED" for damage, else the name of the verdict in capitals.
std::string verdict_word(Verdict verdict);
// One word for the verdict, and what it does not cover.
std::string verdict_text(const Verification& verification);
// Collective. The exit code beside that of the verdict: a file whose structure is broken is no valid file; one whose
// contents fail differs from what was written.
int judge_file(Session& session, const std::string& path, bool is_sound);

// A line for each lattice file, what is wrong below those that fail, and a summary; of one process.
int verify_below(Session& session, const std::vector<std::string>& paths, int threads, const VerifyOptions& options);

}  // namespace lq::cli
