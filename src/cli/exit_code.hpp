// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exit codes for scripts. With several files the highest wins.
#pragma once

#include <algorithm>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

namespace lq::cli {

enum ExitCode : int {
  fine = 0,
  differs = 1,      // content differs, verification failed
  usage = 2,        // the command line, or what it asks for, is wrong
  invalid = 3,      // not readable or not a valid file
  environment = 4,  // permission, space, MPI
  incomplete = 5,   // an interrupted writer
};

inline int worse(int a, int b) { return std::max(a, b); }

int exit_code_of(const Error& error) noexcept;
int exit_code_of(Verdict verdict) noexcept;
// Also if an intact file was required, and it is not.
int exit_code_of(const Verification& verification) noexcept;
// The worst finding of severity error: truncated, malformed, or else a failed verification.
int exit_code_of(const std::vector<Finding>& findings) noexcept;
// The structure of a file: fine, invalid or incomplete.
int exit_code_of(const Catalog& catalog) noexcept;

}  // namespace lq::cli
