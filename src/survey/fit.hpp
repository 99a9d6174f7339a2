// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measured parts turned into the numbers of a Machine.
#pragma once

#include <limequat/survey.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace lq::survey {

struct CallTime {
  double bytes = 0;    // of one call
  double seconds = 0;  // that it takes
};

// seconds = bytes / rate + call, by least squares of relative errors; neither is negative.
struct Line {
  double rate = 0;  // 0: not to be told from these points
  double call = 0;
};
Line fit_line(std::span<const CallTime> points);

// nullptr: not measured.
const Part* part_named(const std::vector<Part>& parts, std::string_view name);

// `machine` with everything that `parts` tell.
Machine fit_machine(const std::vector<Part>& parts, Machine machine, bool has_other_nodes);

}  // namespace lq::survey
