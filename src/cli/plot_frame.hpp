// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What charts share: their colours, the head with title and subtitle, and legends.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/plot_picture.hpp"

namespace lq::cli {

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

}  // namespace lq::cli
