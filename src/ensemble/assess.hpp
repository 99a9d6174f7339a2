// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands out among the files of a catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <limequat/ensemble.hpp>

#include "ensemble/database.hpp"

namespace lq::ensemble {

// Trajectories missing between the first and the last of a series, at the step that most neighbours have (the shortest
// of equals); nothing where none are, or where there are fewer than three.
std::optional<ensemble::Gaps> gaps_in(std::vector<std::int64_t> trajectories);

// Of numbers, by which of them: further from the median than six standard deviations, as the median of the distances
// tells these; of fewer than eight numbers none.
struct Spread {
  double median = 0;
  double deviation = 0;  // 1.4826 times the median of the distances from it
};
Spread spread_of(std::vector<double> numbers);
std::vector<std::size_t> outliers_of(const std::vector<double>& numbers);

ensemble::Assessment assess(const Database& database);

}  // namespace lq::ensemble
