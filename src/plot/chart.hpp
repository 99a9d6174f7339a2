// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Charts as values, and how they are drawn: lines over an axis of numbers, and horizontal bars.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plot/picture.hpp"

namespace lq::plot {

struct ChartPoint {
  double x = 0, y = 0;
  double low = 0, high = 0;  // whiskers; equal: none
};
struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;
  bool is_limit = false;  // dashed, without dots
};
struct LineChart {
  std::string title = {}, subtitle = {}, x_title = {}, y_title = {};
  std::function<std::string(double)> x_text = {};  // of a tick
  bool ticks_at_points = false;                    // only where there are points
  std::vector<ChartLine> lines = {};
};

struct ChartBar {
  std::string label;
  std::vector<double> parts;         // one behind the other
  std::string text;                  // behind the bar
  std::optional<double> limit = {};  // of this bar alone
};
struct BarChart {
  std::string title = {}, subtitle = {}, value_title = {};
  std::vector<std::string> part_names = {};  // the legend; empty: none
  std::string limit_name = {};               // of the dashed line, or of the bars' dashed marks
  std::optional<double> limit = {};          // the same for all bars
  std::vector<ChartBar> bars = {};
};

Picture draw(const LineChart& chart);
Picture draw(const BarChart& chart);

}  // namespace lq::plot
