// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Horizontal bars, one below the other, so that their labels have room.
#include <algorithm>
#include <numeric>

#include "cli/plot_chart.hpp"
#include "cli/plot_frame.hpp"

namespace lq::cli {
namespace {

constexpr double bar_height = 20, bar_distance = 30;

double total(const ChartBar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

double largest_value(const BarChart& chart) {
  double largest = chart.limit.value_or(0);
  for (const ChartBar& bar : chart.bars) largest = std::max({largest, total(bar), bar.limit.value_or(0)});
  return largest;
}

// What is widest of one kind of text.
template <class Text>
double widest(const BarChart& chart, Text text) {
  double width = 0;
  for (const ChartBar& bar : chart.bars) width = std::max(width, width_of(text(bar), chart_font));
  return width;
}

std::vector<LegendEntry> legend_of(const BarChart& chart) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < chart.part_names.size(); ++i) {
    entries.push_back({chart.part_names[i], chart_colour(i), true});
  }
  if (!chart.limit_name.empty()) entries.push_back({chart.limit_name, limit_colour, false, limit_dashes});
  return entries;
}

void draw_bar(Picture& picture, const BarChart& chart, const ChartBar& bar, double left, double y, double unit) {
  picture.add(
      Words{.x = left - 8, .y = y + bar_height - 5, .text = bar.label, .size = chart_font, .anchor = Anchor::end});
  double x = left;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    if (bar.parts[i] > 0) picture.add(Rectangle{x, y, bar.parts[i] * unit, bar_height, chart_colour(i)});
    x += bar.parts[i] * unit;
  }
  double end = x;
  if (bar.limit) {
    const double limit = left + *bar.limit * unit;
    picture.add(Path{{{limit, y - 5}, {limit, y + bar_height + 5}}, limit_colour, 2, limit_dashes});
    end = std::max(end, limit);
  }
  // The number keeps clear of the line.
  const double line = left + chart.limit.value_or(-1) * unit;
  if (end < line + 4 && line < end + 12 + width_of(bar.text, chart_font)) end = line;
  picture.add(Words{.x = end + 8, .y = y + bar_height - 5, .text = bar.text, .size = chart_font});
}

}  // namespace

Picture draw(const BarChart& chart) {
  Picture picture{chart_width, 0};
  const double top = draw_legend(picture, legend_of(chart), draw_head(picture, chart.title, chart.subtitle)) + 10;
  const double left = chart_margin + widest(chart, [](const ChartBar& bar) { return bar.label; }) + 8;
  const double room_behind = widest(chart, [](const ChartBar& bar) { return bar.text; }) + 16;
  const double right = std::max(chart_width - chart_margin - room_behind, left + 200);
  picture.width = std::max(chart_width, right + room_behind + chart_margin);
  const std::vector<double> ticks = round_ticks(largest_value(chart), 5);
  const double unit = (right - left) / ticks.back();
  const double bottom = top + static_cast<double>(chart.bars.size()) * bar_distance;
  for (const double tick : ticks) {
    const double x = left + tick * unit;
    picture.add(Path{{{x, top - 4}, {x, bottom}}, tick > 0 ? "#dddddd" : "#333333"});
    picture.add(Words{.x = x, .y = bottom + 20, .text = tick_text(tick), .size = chart_font, .anchor = Anchor::middle});
  }
  picture.add(Words{.x = (left + right) / 2,
                    .y = bottom + 44,
                    .text = chart.value_title,
                    .size = chart_font,
                    .anchor = Anchor::middle});
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    draw_bar(picture, chart, chart.bars[i], left, top + static_cast<double>(i) * bar_distance + 5, unit);
  }
  if (chart.limit) {
    const double x = left + *chart.limit * unit;
    picture.add(Path{{{x, top - 4}, {x, bottom}}, limit_colour, 2, limit_dashes});
  }
  picture.height = bottom + 44 + chart_margin;
  return picture;
}

}  // namespace lq::cli
