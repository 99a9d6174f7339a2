// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is said of a number of runs.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace bench {

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Seconds {
  double min = 0, median = 0, max = 0, first = 0;
};

inline Seconds summarise(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, median(values), *high, values.front()};
}

// {"min": 0.1, "median": 0.2, "max": 0.3, "first": 0.3}
inline std::string to_json(const Seconds& s) {
  return "{\"min\": " + std::to_string(s.min) + ", \"median\": " + std::to_string(s.median) +
         ", \"max\": " + std::to_string(s.max) + ", \"first\": " + std::to_string(s.first) + "}";
}

}  // namespace bench
