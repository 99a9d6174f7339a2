// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plot/frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace lq::plot {

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

std::vector<double> round_ticks(double largest, int about) {
  if (!(largest > 0) || !std::isfinite(largest)) largest = 1;
  const double rough = largest / about;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    // A little slack, or 0.3 / 3 would not be 0.1.
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks = {0};
  while (ticks.back() < largest * (1 - 1e-9)) ticks.push_back(static_cast<double>(ticks.size()) * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high) {
  const double decades = std::log10(high / low);
  const std::array factors = {1.0, 2.0, 5.0};
  const std::size_t used = decades > 2.5 ? 1 : factors.size();
  const int step = decades > 8 ? 3 : 1;
  std::vector<double> ticks;
  for (int power = static_cast<int>(std::floor(std::log10(low))) - step; power <= std::log10(high) + 1; ++power) {
    if (power % step != 0) continue;
    for (std::size_t i = 0; i < used; ++i) {
      const double tick = factors[i] * std::pow(10, power);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string tick_text(double value) { return fmt::format("{:.6g}", std::abs(value) < 1e-300 ? 0.0 : value); }

}  // namespace lq::plot
