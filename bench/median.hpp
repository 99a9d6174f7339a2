// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For programs that look at the library from outside; those inside have bench/result.hpp.
#pragma once

#include <algorithm>
#include <vector>

// Of one value at least; the upper one of two in the middle.
inline double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}
