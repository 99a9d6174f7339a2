// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines over an axis whose values differ by factors: ranks, bytes. Horizontal bars, one below the other, so that their
// labels have room.
#include "plot/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "plot/frame.hpp"

namespace lq::plot {
namespace {

constexpr double plot_height = 330;

struct Axes {
  double left = 0, right = 0, top = 0, bottom = 0;
  double x_low = 1, x_high = 2, y_high = 1;

  double x(double value) const { return left + (right - left) * std::log(value / x_low) / std::log(x_high / x_low); }
  double y(double value) const { return bottom - (bottom - top) * value / y_high; }
};

std::vector<double> distinct_x(const LineChart& chart) {
  std::vector<double> all;
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& point : line.points) all.push_back(point.x);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

double largest_y(const LineChart& chart) {
  double largest = 0;
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& point : line.points) largest = std::max({largest, point.y, point.high});
  }
  return largest;
}

void draw_y_axis(Picture& picture, const LineChart& chart, Axes& axes) {
  const std::vector<double> ticks = round_ticks(largest_y(chart) * 1.02, 6);
  axes.y_high = ticks.back();
  double widest = 0;
  for (const double tick : ticks) widest = std::max(widest, width_of(tick_text(tick), chart_font));
  axes.left = chart_margin + 24 + widest + 8;
  for (const double tick : ticks) {
    const double y = axes.y(tick);
    picture.add(Path{{{axes.left, y}, {axes.right, y}}, tick > 0 ? "#dddddd" : "#333333"});
    picture.add(
        Words{.x = axes.left - 8, .y = y + 5, .text = tick_text(tick), .size = chart_font, .anchor = Anchor::end});
  }
  picture.add(Words{.x = chart_margin + 12,
                    .y = (axes.top + axes.bottom) / 2,
                    .text = chart.y_title,
                    .size = chart_font,
                    .anchor = Anchor::middle,
                    .upwards = true});
}

void draw_x_axis(Picture& picture, const LineChart& chart, Axes& axes) {
  const std::vector<double> values = distinct_x(chart);
  // Some air beside the outer points; a single value stands in the middle.
  const double span = values.back() / values.front();
  const double air = span > 1 ? std::pow(span, 0.04) : 2;
  axes.x_low = values.front() / air;
  axes.x_high = values.back() * air;
  double free_from = 0;
  for (const double tick : chart.ticks_at_points ? values : logarithmic_ticks(axes.x_low, axes.x_high)) {
    const double x = axes.x(tick);
    picture.add(Path{{{x, axes.bottom}, {x, axes.bottom + 5}}});
    const std::string text = chart.x_text(tick);
    const double half = width_of(text, chart_font) / 2;
    if (x - half < free_from) continue;  // the tick alone where its number finds no room
    picture.add(Words{.x = x, .y = axes.bottom + 22, .text = text, .size = chart_font, .anchor = Anchor::middle});
    free_from = x + half + 6;
  }
  picture.add(Words{.x = (axes.left + axes.right) / 2,
                    .y = axes.bottom + 46,
                    .text = chart.x_title,
                    .size = chart_font,
                    .anchor = Anchor::middle});
}

void draw_line(Picture& picture, const ChartLine& line, const LegendEntry& sign, const Axes& axes) {
  Path path{{}, sign.colour, line.is_limit ? 2.0 : 2.5, sign.dashes};
  for (const ChartPoint& point : line.points) path.points.emplace_back(axes.x(point.x), axes.y(point.y));
  // A limit known at one place only is still a line.
  if (line.is_limit && path.points.size() == 1) {
    path.points = {{axes.left, path.points[0].second}, {axes.right, path.points[0].second}};
  }
  if (path.points.size() > 1) picture.add(path);
  if (line.is_limit) return;
  for (const ChartPoint& point : line.points) {
    const double x = axes.x(point.x);
    if (point.high > point.low) {
      picture.add(Path{{{x, axes.y(point.low)}, {x, axes.y(point.high)}}, sign.colour, 1.5});
    }
    picture.add(Dot{x, axes.y(point.y), 4.5, sign.colour});
  }
}

std::vector<LegendEntry> legend_of(const LineChart& chart) {
  static constexpr std::array limits = {limit_dashes, "2 4", "12 4", "12 4 2 4"};
  std::vector<LegendEntry> entries;
  std::size_t lines = 0, dashed = 0;
  for (const ChartLine& line : chart.lines) {
    if (line.is_limit) {
      entries.push_back({line.name, limit_colour, false, limits[dashed++ % limits.size()]});
    } else {
      entries.push_back({line.name, chart_colour(lines++), false, ""});
    }
  }
  return entries;
}

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

Picture draw(const LineChart& chart) {
  Picture picture{chart_width, 0};
  const std::vector<LegendEntry> legend = legend_of(chart);
  Axes axes;
  axes.top = draw_legend(picture, legend, draw_head(picture, chart.title, chart.subtitle)) + 8;
  axes.bottom = axes.top + plot_height;
  axes.right = chart_width - chart_margin;
  draw_y_axis(picture, chart, axes);
  draw_x_axis(picture, chart, axes);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) draw_line(picture, chart.lines[i], legend[i], axes);
  picture.height = axes.bottom + 46 + chart_margin;
  return picture;
}

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

}  // namespace lq::plot
