// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Did you mean": the nearest of the names there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lq::cli {

// "; did you mean "--json"?", or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lq::cli
