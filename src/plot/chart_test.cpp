// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ticks are round, texts keep apart, and what is drawn is in proportion to the numbers.
#include "plot/chart.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "plot/frame.hpp"

namespace lq::plot {
namespace {

template <class Shape>
std::vector<Shape> shapes(const Picture& picture) {
  std::vector<Shape> found;
  for (const auto& shape : picture.shapes) {
    if (const auto* one = std::get_if<Shape>(&shape)) found.push_back(*one);
  }
  return found;
}

struct Extent {
  double left, right, top, bottom;
};

Extent extent_of(const Words& words) {
  const double width = width_of(words.text, words.size);
  if (words.upwards) return {words.x - words.size, words.x, words.y - width / 2, words.y + width / 2};
  const double left = words.anchor == Anchor::start    ? words.x
                      : words.anchor == Anchor::middle ? words.x - width / 2
                                                       : words.x - width;
  return {left, left + width, words.y - 0.75 * words.size, words.y + 0.25 * words.size};
}

// Every text is large enough, within the picture, and away from all others.
void expect_readable(const Picture& picture) {
  const std::vector<Words> all = shapes<Words>(picture);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Extent a = extent_of(all[i]);
    EXPECT_GE(all[i].size, 13) << all[i].text;
    EXPECT_TRUE(a.left >= 0 && a.right <= picture.width && a.top >= 0 && a.bottom <= picture.height) << all[i].text;
    for (std::size_t k = 0; k < i; ++k) {
      const Extent b = extent_of(all[k]);
      const bool apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      EXPECT_TRUE(apart) << "\"" << all[i].text << "\" on \"" << all[k].text << "\"";
    }
  }
}

TEST(RoundTicks, AreRoundAndReachTheLargest) {
  EXPECT_EQ(round_ticks(9.7, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(round_ticks(1, 5), (std::vector<double>{0, 0.2, 0.4, 3 * 0.2, 0.8, 1}));
  EXPECT_EQ(round_ticks(2300, 6), (std::vector<double>{0, 500, 1000, 1500, 2000, 2500}));
  EXPECT_EQ(round_ticks(0, 5).back(), 1);
  EXPECT_EQ(round_ticks(std::nan(""), 5).back(), 1);
}

TEST(LogarithmicTicks, AreOneTwoFiveOrFewer) {
  EXPECT_EQ(logarithmic_ticks(1.5e6, 30e6), (std::vector<double>{2e6, 5e6, 1e7, 2e7}));
  EXPECT_EQ(logarithmic_ticks(1e3, 1e7), (std::vector<double>{1e3, 1e4, 1e5, 1e6, 1e7}));
}

TEST(TickText, HasNoSuperfluousDigits) {
  EXPECT_EQ(tick_text(3 * 0.2), "0.6");
  EXPECT_EQ(tick_text(2000), "2000");
  EXPECT_EQ(tick_text(0), "0");
}

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(wrap("one two three", 10, 6.0 * 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_TRUE(wrap("", 10, 100).empty());
}

TEST(Svg, EscapesWhatXmlCannotHold) {
  Picture picture{100, 50};
  picture.add(Words{.x = 1, .y = 2, .text = "a<b>&\x01"});
  const std::string svg = to_svg(picture);
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;\\x01</text>"), std::string::npos) << svg;
}

TEST(BarChart, BarsAreInProportion) {
  const BarChart chart{.title = "T", .value_title = "V", .bars = {{"a", {1, 3}, "4"}, {"b", {2}, "2"}}};
  const std::vector<Rectangle> bars = shapes<Rectangle>(draw(chart));
  ASSERT_EQ(bars.size(), 3u);
  EXPECT_NEAR(bars[1].width / bars[0].width, 3, 1e-9);
  EXPECT_NEAR(bars[2].width / bars[0].width, 2, 1e-9);
  EXPECT_NEAR(bars[1].x, bars[0].x + bars[0].width, 1e-9);
}

TEST(BarChart, LongLabelsAndLegendsStayReadable) {
  BarChart chart{.title = "A chart with a title", .value_title = "V", .part_names = {}, .limit_name = "raw limit"};
  chart.subtitle =
      "many words that say what all of these have in common, so many that one line does not hold them, "
      "and perhaps not even two of them";
  for (int i = 0; i < 9; ++i) {
    chart.part_names.push_back("a step with a name " + std::to_string(i));
    chart.bars.push_back({std::string(static_cast<std::size_t>(10 * i), 'w'), {1.0 * i}, "1.234", 1.0});
  }
  expect_readable(draw(chart));
}

TEST(LineChart, PointsAreInProportion) {
  LineChart chart{.title = "T", .x_text = tick_text};
  chart.lines = {{"a", {{1, 2}, {2, 4}, {4, 1}}}};
  const Picture picture = draw(chart);
  std::vector<Dot> dots = shapes<Dot>(picture);
  dots.erase(dots.begin());  // of the legend
  ASSERT_EQ(dots.size(), 3u);
  EXPECT_NEAR(dots[1].x - dots[0].x, dots[2].x - dots[1].x, 1e-9) << "factors of two are equally far apart";
  EXPECT_NEAR((dots[0].y - dots[1].y) / (dots[2].y - dots[0].y), 2, 1e-9);
}

TEST(LineChart, LimitIsDashed) {
  LineChart chart{.title = "T", .x_text = tick_text};
  chart.lines = {{"ours", {{1, 2}, {2, 4}}}, {"raw limit", {{1, 3}, {2, 5}}, true}};
  int dashed = 0;
  for (const Path& path : shapes<Path>(draw(chart))) dashed += path.dashes.empty() ? 0 : 1;
  EXPECT_EQ(dashed, 2) << "the line and its sign in the legend";
}

TEST(LineChart, ManyTicksAndLinesStayReadable) {
  LineChart chart{.title = "A title", .subtitle = "with a subtitle", .x_title = "x", .y_title = "GB/s"};
  chart.x_text = [](double x) { return tick_text(x) + " of something"; };
  chart.ticks_at_points = true;
  for (int line = 0; line < 12; ++line) {
    ChartLine one{"a line with a rather long name, number " + std::to_string(line), {}, line % 4 == 3};
    for (int i = 0; i < 30; ++i) one.points.push_back({std::pow(1.2, i), 1.0 * i + line, 0.9 * i, 1.1 * i});
    chart.lines.push_back(one);
  }
  expect_readable(draw(chart));
  chart.lines = {{"one", {{7, 3}}}, {"raw", {{7, 4}}, true}};
  expect_readable(draw(chart));
}

}  // namespace
}  // namespace lq::plot
