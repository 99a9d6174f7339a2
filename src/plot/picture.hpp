// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A picture made of few kinds of shapes, and its forms as SVG and PNG. Sizes are in pixels, y points down.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lq::plot {

enum class Anchor { start, middle, end };

struct Rectangle {
  double x = 0, y = 0, width = 0, height = 0;
  std::string colour;
};
struct Path {
  std::vector<std::pair<double, double>> points;
  std::string colour = "#333333";
  double width = 1;
  std::string dashes = {};  // "6 4": drawn, left out; empty: a full line
};
struct Dot {
  double x = 0, y = 0, radius = 4;
  std::string colour;
};
struct Words {
  double x = 0, y = 0;  // of the base line
  std::string text;
  double size = 13;
  Anchor anchor = Anchor::start;
  bool bold = false;
  bool upwards = false;  // read from bottom to top
  std::string colour = "#222222";
};

using Shape = std::variant<Rectangle, Path, Dot, Words>;

struct Picture {
  double width = 0, height = 0;
  std::vector<Shape> shapes = {};

  void add(Shape shape);
};

// How wide a text becomes in a common sans-serif font; rather too much than too little.
double width_of(std::string_view text, double size);
// Lines of at most `width`, broken between words.
std::vector<std::string> wrap(std::string_view text, double size, double width);

std::string to_svg(const Picture& picture);
// Local. At twice the size, which suits screens and print, drawn by the library cairo (libcairo2 in Debian). It is
// looked for when a PNG is wanted and not before: a program linked to it would start by half later, for every verb.
// unsupported: there is no cairo here.
void save_png(const Picture& picture, const std::string& path);

}  // namespace lq::plot
