// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See plot_frame.hpp.
#include "cli/plot_frame.hpp"

namespace lq::cli {

double draw_head(Picture& picture, const std::string& title, const std::string& subtitle) {
  double y = chart_margin + 14;
  picture.add(Words{.x = chart_margin, .y = y, .text = title, .size = 18, .bold = true});
  y += 22;
  for (const std::string& line : wrap(subtitle, chart_font, chart_width - 2 * chart_margin)) {
    picture.add(Words{.x = chart_margin, .y = y, .text = line, .size = chart_font, .colour = "#555555"});
    y += 18;
  }
  return y;
}

double draw_legend(Picture& picture, const std::vector<LegendEntry>& entries, double y) {
  constexpr double sign = 28, gap = 26;
  double x = chart_margin;
  y += 8;
  for (const LegendEntry& entry : entries) {
    const double width = sign + 8 + width_of(entry.name, chart_font);
    if (x > chart_margin && x + width > chart_width - chart_margin) {
      x = chart_margin;
      y += 22;
    }
    if (entry.is_box) {
      picture.add(Rectangle{x + 8, y - 11, 14, 14, entry.colour});
    } else {
      picture.add(Path{{{x, y - 4}, {x + sign, y - 4}}, entry.colour, 2.5, entry.dashes});
      if (entry.dashes.empty()) picture.add(Dot{x + sign / 2, y - 4, 4, entry.colour});
    }
    picture.add(Words{.x = x + sign + 8, .y = y, .text = entry.name, .size = chart_font});
    x += width + gap;
  }
  return y + 12;
}

}  // namespace lq::cli
