// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What charts share: their colours, the head with title and subtitle, legends, and the ticks of axes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "plot/picture.hpp"

namespace lq::plot {

constexpr double chart_width = 860;
constexpr double chart_margin = 20;
constexpr double chart_font = 14;
constexpr const char* limit_colour = "#444444";
constexpr const char* limit_dashes = "7 5";

// Told apart also by those who see fewer colours, and in print.
inline const char* chart_colour(std::size_t index) {
  static constexpr std::array colours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                         "#56b4e9", "#d55e00", "#7a5195", "#8c8c00"};
  return colours[index % colours.size()];
}

// Title and subtitle; returns the y below them.
double draw_head(Picture& picture, const std::string& title, const std::string& subtitle);

struct LegendEntry {
  std::string name;
  std::string colour;
  bool is_box = false;  // else a line
  std::string dashes = {};
};
// Rows of entries from `y` on; returns the y below them.
double draw_legend(Picture& picture, const std::vector<LegendEntry>& entries, double y);

// Round numbers from 0 to the first that is not below `largest`: steps of 1, 2, 5 times a power of ten.
std::vector<double> round_ticks(double largest, int about);
// 1, 2, 5 times powers of ten within [low, high]; only powers of ten, or of thousand, where these would be too many.
std::vector<double> logarithmic_ticks(double low, double high);
// "0", "0.5", "2000", without zeros at the end.
std::string tick_text(double value);

}  // namespace lq::plot
