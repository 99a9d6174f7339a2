// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one place that decides the verdict of an examination: a pure function of its claims and findings, shared by all
// verbs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/inner.hpp"

namespace lq::io {

// Exact sums prove data; other sums miss some changes.
Evidence evidence_of(SumKind kind) noexcept;

// Claims from the findings of a scan about sums, copies and records.
std::vector<Claim> claims_of(const std::vector<Finding>& findings);

// The worst claim or finding decides. `foreign`, `unreadable` and `being_written` are for callers that know the path.
LQ_INNER Verdict verdict_of(const std::vector<Claim>& claims, const std::vector<Finding>& findings) noexcept;

// For a file that could not be examined.
LQ_INNER Verdict verdict_of(const Error& error) noexcept;

LQ_INNER bool has_errors(const std::vector<Finding>& findings) noexcept;
// The first finding that is an error, as an exception: "PATH: `about`MESSAGE". Empty: there is none.
std::optional<Error> first_error(const Verification& examined, std::string_view about = {});
// All of its errors in one message, the first of them first: eight, then how many more there are. Empty: none.
LQ_INNER std::optional<Error> all_errors(const Verification& examined, std::string_view about);
// Adds those of `more` whose messages are not yet among `findings`.
void add_new_findings(std::vector<Finding>& findings, std::vector<Finding> more);
// The same for errors only.
LQ_INNER void add_new_errors(std::vector<Finding>& findings, const Verification& examined);
// Adds an error if the verdict is insufficient, even if no finding is an error.
LQ_INNER void require_error(std::vector<Finding>& findings, const Verification& examined, Finding otherwise);

// Sets verdict and ok.
void conclude(Verification& verification, Require require) noexcept;

}  // namespace lq::io
