// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/verdict.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <limequat/protect.hpp>

namespace lq {

std::string_view name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::sound:
      return "sound";
    case Verdict::consistent:
      return "consistent";
    case Verdict::unproven:
      return "unproven";
    case Verdict::damaged:
      return "damaged";
    case Verdict::incomplete:
      return "incomplete";
    case Verdict::being_written:
      return "being written";
    case Verdict::unreadable:
      return "unreadable";
    case Verdict::foreign:
      return "foreign";
  }
  return "unknown";
}

std::string_view name(Evidence evidence) noexcept {
  switch (evidence) {
    case Evidence::exact_sum:
      return "exact sum";
    case Evidence::second_copy:
      return "second copy";
    case Evidence::weak_sum:
      return "weak sum";
    case Evidence::check_value:
      return "check value";
    case Evidence::structure:
      return "structure";
    case Evidence::nature:
      return "nature";
  }
  return "unknown";
}

std::string_view name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::agrees:
      return "agrees";
    case Outcome::differs:
      return "differs";
    case Outcome::unreadable:
      return "unreadable";
    case Outcome::missing:
      return "missing";
    case Outcome::absent:
      return "absent";
    case Outcome::unchecked:
      return "unchecked";
    case Outcome::uncovered:
      return "uncovered";
  }
  return "unknown";
}

std::string_view name(ProtectedState state) noexcept {
  switch (state) {
    case ProtectedState::intact:
      return "intact";
    case ProtectedState::damaged:
      return "damaged";
    case ProtectedState::lost:
      return "lost";
    case ProtectedState::changed:
      return "changed";
    case ProtectedState::unproven:
      return "unproven";
    case ProtectedState::unprotected:
      return "unprotected";
  }
  return "unknown";
}

namespace io {
namespace {

bool proves(Evidence evidence) noexcept { return evidence == Evidence::exact_sum || evidence == Evidence::second_copy; }

// The best verdict that one claim permits.
Verdict verdict_of(const Claim& claim) noexcept {
  switch (claim.outcome) {
    case Outcome::agrees:
    case Outcome::uncovered:
      return Verdict::sound;
    case Outcome::absent:
      return proves(claim.evidence) ? Verdict::consistent : Verdict::sound;
    case Outcome::unchecked:
      return proves(claim.evidence) || claim.evidence == Evidence::weak_sum ? Verdict::unproven : Verdict::sound;
    case Outcome::differs:
      return claim.evidence == Evidence::nature ? Verdict::unproven : Verdict::damaged;
    case Outcome::unreadable:
    case Outcome::missing:
      return Verdict::damaged;
  }
  return Verdict::damaged;
}

}  // namespace

Evidence evidence_of(SumKind kind) noexcept {
  switch (kind) {
    case SumKind::scidac:
    case SumKind::weighted:
    case SumKind::sha256:
    case SumKind::sha256_padded:
    case SumKind::crc32:
      return Evidence::exact_sum;
    case SumKind::nersc:
    case SumKind::milc:
    case SumKind::pyquda:
    case SumKind::norm:
    case SumKind::momentum_action:
      return Evidence::weak_sum;
  }
  return Evidence::weak_sum;
}

std::vector<Claim> claims_of(const std::vector<Finding>& findings) {
  struct Row {
    std::string_view rule, name;
    Evidence evidence;
    Outcome outcome;
  };
  constexpr Row rows[] = {
      {"lime-type-damaged", "type", Evidence::structure, Outcome::differs},
      {"lime-records-lost", "records", Evidence::structure, Outcome::missing},
      {"limequat-slices-malformed", "sums of slices", Evidence::exact_sum, Outcome::unreadable},
      {"limequat-slices-contradict", "sums of slices", Evidence::second_copy, Outcome::differs},
      {"modes-index-damaged", "fnv1a", Evidence::exact_sum, Outcome::differs},
      {"nersc-average", "average", Evidence::check_value, Outcome::unreadable},
      {"nersc-checksum", "nersc", Evidence::weak_sum, Outcome::unreadable},
      {"nersc-checksum-missing", "nersc", Evidence::weak_sum, Outcome::missing},
      {"qlattice-crc32", "crc32", Evidence::exact_sum, Outcome::unreadable},
      {"qlattice-crc32-missing", "crc32", Evidence::exact_sum, Outcome::missing},
      {"scidac-checksum", "scidac", Evidence::exact_sum, Outcome::unreadable},
      {"scidac-checksum-lost", "scidac", Evidence::exact_sum, Outcome::missing},
      {"scidac-data-missing", "data", Evidence::structure, Outcome::missing},
  };
  std::vector<Claim> claims;
  for (const Finding& finding : findings) {
    const auto row = std::ranges::find(rows, finding.rule, &Row::rule);
    if (row == std::end(rows) || finding.severity != Severity::error) continue;
    claims.push_back({finding.record, std::string(row->name), row->evidence, row->outcome, finding.offset, {}});
  }
  return claims;
}

Verdict verdict_of(const std::vector<Claim>& claims, const std::vector<Finding>& findings) noexcept {
  // If no sum applies, there is only the structure.
  const auto speaks = [](const Claim& claim) { return claim.outcome != Outcome::uncovered; };
  Verdict verdict = std::ranges::any_of(claims, speaks) ? Verdict::sound : Verdict::consistent;
  for (const Claim& claim : claims) verdict = std::max(verdict, verdict_of(claim));
  bool ends_early = false;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::error) continue;
    ends_early = ends_early || finding.code == Code::truncated;
    verdict = std::max(verdict, Verdict::damaged);
  }
  // Missing files explain sums that cannot be read, but not sums that disagree.
  const auto disagrees = [](const Claim& claim) { return claim.outcome == Outcome::differs; };
  if (ends_early && std::ranges::none_of(claims, disagrees)) return Verdict::incomplete;
  return verdict;
}

Verdict verdict_of(const Error& error) noexcept {
  return error.code() == Code::unknown_format ? Verdict::foreign : Verdict::unreadable;
}

std::optional<Error> first_error(const Verification& examined, std::string_view about) {
  const auto error = std::ranges::find(examined.findings, Severity::error, &Finding::severity);
  if (error == examined.findings.end()) return {};
  const std::string begin = examined.path + ": ";  // prefix of some messages
  const std::string_view message = error->message;
  return Error(error->code == Code::ok ? Code::malformed : error->code,
               fmt::format("{}{}{}", begin, about, message.substr(message.starts_with(begin) ? begin.size() : 0)),
               {.path = examined.path, .record = error->record, .offset = error->offset});
}

std::optional<Error> all_errors(const Verification& examined, std::string_view about) {
  constexpr std::size_t most = 8;  // in one message
  const auto first = first_error(examined, about);
  if (!first) return {};
  const std::string begin = examined.path + ": ";  // prefix of some messages
  std::string message = first->what();
  std::size_t errors = 0;
  for (const Finding& finding : examined.findings) {
    if (finding.severity != Severity::error || ++errors == 1 || errors > most) continue;
    const std::string_view one = finding.message;
    message += fmt::format("; {}", one.substr(one.starts_with(begin) ? begin.size() : 0));
  }
  if (errors > most) message += fmt::format("; and {} more errors", errors - most);
  return Error(first->code(), message, first->facts());
}

bool has_errors(const std::vector<Finding>& findings) noexcept {
  return std::ranges::any_of(findings, [](const Finding& finding) { return finding.severity == Severity::error; });
}

void add_new_findings(std::vector<Finding>& findings, std::vector<Finding> more) {
  for (Finding& finding : more) {
    const auto is_same = [&](const Finding& told) { return told.message == finding.message; };
    if (std::ranges::none_of(findings, is_same)) findings.push_back(std::move(finding));
  }
}

void add_new_errors(std::vector<Finding>& findings, const Verification& examined) {
  std::vector<Finding> errors = examined.findings;
  std::erase_if(errors, [](const Finding& finding) { return finding.severity != Severity::error; });
  add_new_findings(findings, std::move(errors));
}

void require_error(std::vector<Finding>& findings, const Verification& examined, Finding otherwise) {
  if (!examined.ok && !has_errors(findings)) findings.push_back(std::move(otherwise));
}

void conclude(Verification& verification, Require require) noexcept {
  verification.verdict = verdict_of(verification.claims, verification.findings);
  verification.ok = require == Require::sound ? verification.verdict == Verdict::sound : is_ok(verification.verdict);
}

}  // namespace io
}  // namespace lq
