// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plot/picture.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::plot {
namespace {

// Text may come from any file: what XML cannot hold is made visible, the rest escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text, 400)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

struct SvgWriter {
  std::string out;

  void operator()(const Rectangle& r) {
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", r.x, r.y,
                       r.width, r.height, r.colour);
  }
  void operator()(const Path& path) {
    std::string points;
    for (const auto& [x, y] : path.points) points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x, y);
    const std::string dashes = path.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", path.dashes);
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"{}/>\n", points,
                       path.colour, path.width, dashes);
  }
  void operator()(const Dot& dot) {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>\n", dot.x, dot.y, dot.radius,
                       dot.colour);
  }
  void operator()(const Words& words) {
    std::string extra;
    if (words.anchor != Anchor::start) {
      extra += words.anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
    }
    if (words.bold) extra += " font-weight=\"bold\"";
    if (words.upwards) extra += fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", words.x, words.y);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" fill=\"{}\"{}>{}</text>\n", words.x,
                       words.y, words.size, words.colour, extra, escaped(words.text));
  }
};

}  // namespace

void Picture::add(Shape shape) { shapes.push_back(std::move(shape)); }

double width_of(std::string_view text, double size) {
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return 0.6 * size * static_cast<double>(characters);
}

std::vector<std::string> wrap(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  for (const std::string_view word : base::split_words(text)) {
    const std::string longer = lines.empty() ? std::string(word) : lines.back() + " " + std::string(word);
    if (!lines.empty() && width_of(longer, size) <= width) {
      lines.back() = longer;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string to_svg(const Picture& picture) {
  SvgWriter writer;
  writer.out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\">\n",
      picture.width, picture.height);
  writer({0, 0, picture.width, picture.height, "#ffffff"});
  for (const auto& shape : picture.shapes) std::visit(writer, shape);
  return writer.out + "</svg>\n";
}

}  // namespace lq::plot
