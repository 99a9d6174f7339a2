// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/exit_code.hpp"

namespace lq::cli {
namespace {

// The exit code of an error in a file: broken structure, an interrupted writer, or differing contents.
int exit_code_for(Code code) noexcept {
  switch (code) {
    case Code::truncated:
      return incomplete;
    case Code::malformed:
    case Code::too_large:
    case Code::unsupported:
    case Code::not_found:  // another file of the set
      return invalid;
    default:
      return differs;
  }
}

}  // namespace

int exit_code_of(const Error& error) noexcept {
  if (error.code() == Code::truncated) return incomplete;
  // A directory or a pipe is not readable, whatever the environment.
  if (error.code() == Code::io && error.facts().expected == "a regular file") return invalid;
  return error.exit_code();
}

int exit_code_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::sound:
    case Verdict::consistent:
      return fine;
    case Verdict::unproven:
    case Verdict::damaged:
      return differs;
    case Verdict::incomplete:
    case Verdict::being_written:
      return incomplete;
    case Verdict::unreadable:
    case Verdict::foreign:
      return invalid;
  }
  return differs;
}

int exit_code_of(const Verification& verification) noexcept {
  return verification.ok ? fine : worse(differs, exit_code_of(verification.verdict));
}

int exit_code_of(const std::vector<Finding>& findings) noexcept {
  int code = fine;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::error) continue;
    code = worse(code, exit_code_for(finding.code));
  }
  return code;
}

int exit_code_of(const Catalog& catalog) noexcept {
  const int code = exit_code_of(catalog.findings);
  return catalog.complete ? code : worse(code, incomplete);
}

}  // namespace lq::cli
