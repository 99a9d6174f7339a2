// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which chart results become: what they have in common goes into the subtitle, what tells them apart into the legend.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plot/chart.hpp"
#include "plot/data.hpp"

namespace lq::plot {

enum class Kind {
  rate_by_ranks,
  rate_by_size,
  steps,
  ratio,
  create_by_tasks,
  rate_by_files,
  rate_per_server,
  rate_by_threads
};

inline constexpr std::string_view kind_names[] = {"rate-by-ranks",   "rate-by-size",    "steps",
                                                  "ratio",           "create-by-tasks", "rate-by-files",
                                                  "rate-per-server", "rate-by-threads"};

// Of tasks: the time to create, else rates by files. Several numbers of threads: rates against them; of ranks: against
// these; else several sizes: against those; else ratios.
Kind kind_for(const std::vector<Result>& results);
// Local. invalid_argument: there is nothing of this kind in the results.
Picture draw_results(const std::vector<Result>& results, Kind kind);
// For tests: the chart before it is drawn.
LineChart rate_chart(const std::vector<Result>& results, Kind kind);
LineChart create_chart(const std::vector<Result>& results);
BarChart bar_chart(const std::vector<Result>& results, Kind kind);

}  // namespace lq::plot
