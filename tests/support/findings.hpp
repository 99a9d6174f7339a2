// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Findings of a check, counted by their rule.
#pragma once

#include <limequat/inspect.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace lq::testing {

inline std::uint64_t count_of(const std::vector<Finding>& findings, const std::string& rule) {
  return static_cast<std::uint64_t>(std::ranges::count(findings, rule, &Finding::rule));
}

}  // namespace lq::testing
