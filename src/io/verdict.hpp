// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one place that says what an examination amounts to: a pure function of its claims and findings, which all verbs
// share.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/inner.hpp"

namespace lq::io {

// Exact sums prove data; of others some changes cannot be seen.
Evidence evidence_of(SumKind kind) noexcept;

// What findings of a scan say of sums, copies and records.
std::vector<Claim> claims_of(const std::vector<Finding>& findings);

// The worst claim or finding decides. `foreign`, `unreadable` and `being_written` are for those who know the path.
LQ_INNER Verdict verdict_of(const std::vector<Claim>& claims, const std::vector<Finding>& findings) noexcept;

// Of a file into which no examination could look.
LQ_INNER Verdict verdict_of(const Error& error) noexcept;

LQ_INNER bool has_errors(const std::vector<Finding>& findings) noexcept;
// The first finding that is an error, to be thrown: "PATH: `about`MESSAGE". Nothing: there is none.
std::optional<Error> first_error(const Verification& examined, std::string_view about = {});
// Those of `more` whose sentences are not among `findings` yet.
void add_untold(std::vector<Finding>& findings, std::vector<Finding> more);
// The same of its errors alone.
LQ_INNER void add_untold_errors(std::vector<Finding>& findings, const Verification& examined);
// A verdict that is not good enough is an error, also where no finding is one.
LQ_INNER void require_error(std::vector<Finding>& findings, const Verification& examined, Finding otherwise);

// Sets verdict and ok.
void conclude(Verification& verification, Require require) noexcept;

}  // namespace lq::io
