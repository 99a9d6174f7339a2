// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/findings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace lq::format {
namespace {

Finding about(Severity severity, std::string rule, const Record& record, std::string message) {
  Finding finding;
  finding.severity = severity;
  finding.rule = std::move(rule);
  finding.message = std::move(message);
  finding.record = record.type;
  finding.offset = record.header_offset;
  return finding;
}

}  // namespace

void Findings::add(Finding finding) {
  if (++counts_[finding.rule] <= most_per_rule) findings_.push_back(std::move(finding));
}

void Findings::error(Code code, std::string rule, const Record& record, std::string message, std::string expected,
                     std::string found) {
  Finding finding = about(Severity::error, std::move(rule), record, std::move(message));
  finding.code = code;
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  add(std::move(finding));
}

void Findings::warning(std::string rule, const Record& record, std::string message, std::string expected,
                       std::string found) {
  Finding finding = about(Severity::warning, std::move(rule), record, std::move(message));
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  add(std::move(finding));
}

void Findings::note(std::string rule, const Record& record, std::string message) {
  add(about(Severity::note, std::move(rule), record, std::move(message)));
}

bool Findings::has_errors() const noexcept {
  return std::ranges::any_of(findings_, [](const Finding& f) { return f.severity == Severity::error; });
}

std::uint64_t Findings::count(const std::string& rule) const noexcept {
  const auto found = counts_.find(rule);
  return found == counts_.end() ? 0 : found->second;
}

std::vector<Finding> Findings::take() {
  for (const auto& [rule, count] : counts_) {
    if (count <= most_per_rule) continue;
    Finding more;
    more.rule = rule;
    more.message =
        fmt::format("rule {} is broken at {} more places, which are not listed", rule, count - most_per_rule);
    findings_.push_back(std::move(more));
  }
  counts_.clear();
  return std::exchange(findings_, {});
}

}  // namespace lq::format
