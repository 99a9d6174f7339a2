// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The report of lq verify on one file, and on all files below folders.
#pragma once

#include <string>
#include <vector>

#include <limequat/inspect.hpp>

#include "cli/session.hpp"

namespace lq::cli {

// "FAILED" for damage, else the name of the verdict in capitals.
std::string verdict_word(Verdict verdict);
// One word for the verdict, and what it leaves out.
std::string verdict_text(const Verification& verification);
// Collective. The exit code in addition to the verdict: a file whose structure is broken is invalid; one whose
// contents fail differs from what was written.
int judge_file(Session& session, const std::string& path, bool is_sound);

// A line for each lattice file, the findings below those that fail, and a summary; for one process.
int verify_below(Session& session, const std::vector<std::string>& paths, int threads, const VerifyOptions& options);

}  // namespace lq::cli
