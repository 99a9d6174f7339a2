// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See exit_code.hpp.
#include "cli/exit_code.hpp"

namespace lq::cli {

int exit_code_of(const Error& error) noexcept {
  if (error.code() == Code::truncated) return incomplete;
  // A directory or a pipe is nothing to read, whatever the environment.
  if (error.code() == Code::io && error.facts().expected == "a regular file") return invalid;
  return error.exit_code();
}

int exit_code_of(const std::vector<Finding>& findings) noexcept {
  int code = fine;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::error) continue;
    const bool is_structure = finding.code == Code::malformed || finding.code == Code::too_large;
    code = worse(code, finding.code == Code::truncated ? incomplete : is_structure ? invalid : differs);
  }
  return code;
}

int exit_code_of(const Catalog& catalog) noexcept {
  const int code = exit_code_of(catalog.findings);
  return catalog.complete ? code : worse(code, incomplete);
}

}  // namespace lq::cli
