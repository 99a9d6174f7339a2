// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PNG by cairo. The declarations are those of its C interface, which has been stable since its version 1.0.
#include "plot/picture.hpp"

#include <dlfcn.h>

#include <memory>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::plot {
namespace {

constexpr double scale = 2;

struct Surface;
struct Context;
struct TextExtents {
  double x_bearing, y_bearing, width, height, x_advance, y_advance;
};

// The functions that are used, by their names in the library without "cairo_".
class Cairo {
 public:
  explicit Cairo(const std::string& path) : library_(::dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) {
      throw Error(Code::unsupported,
                  path +
                      ": PNG is drawn by the library cairo, which is not here; install it (libcairo2 in Debian), or "
                      "name the picture .svg",
                  {.path = path});
    }
  }
  ~Cairo() { ::dlclose(library_); }
  Cairo(const Cairo&) = delete;
  Cairo& operator=(const Cairo&) = delete;

  template <class Result, class... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    const auto function =
        reinterpret_cast<Result (*)(Arguments...)>(::dlsym(library_, fmt::format("cairo_{}", name).c_str()));
    if (function == nullptr) throw Error(Code::unsupported, fmt::format("this cairo has no cairo_{}", name));
    return function(arguments...);
  }

 private:
  void* library_;
};

class PngWriter {
 public:
  PngWriter(const Cairo& cairo, Context* context) : cairo_(cairo), context_(context) {
    draw("select_font_face", "sans-serif", 0, 0);
  }

  void operator()(const Rectangle& r) {
    set_colour(r.colour);
    draw("rectangle", r.x, r.y, r.width, r.height);
    draw("fill");
  }
  void operator()(const Path& path) {
    set_colour(path.colour);
    draw("set_line_width", path.width);
    std::vector<double> dashes;
    for (const std::string_view word : base::split_words(path.dashes)) {
      dashes.push_back(base::parse_double(word).value_or(1));
    }
    draw("set_dash", static_cast<const double*>(dashes.data()), static_cast<int>(dashes.size()), 0.0);
    for (const auto& [x, y] : path.points) draw("line_to", x, y);
    draw("stroke");
  }
  void operator()(const Dot& dot) {
    set_colour(dot.colour);
    draw("arc", dot.x, dot.y, dot.radius, 0.0, 2 * std::numbers::pi);
    draw("fill");
  }
  void operator()(const Words& words) {
    const std::string text = base::printable(words.text, 400);
    set_colour(words.colour);
    draw("select_font_face", "sans-serif", 0, words.bold ? 1 : 0);
    draw("set_font_size", words.size);
    TextExtents extents{};
    draw("text_extents", text.c_str(), &extents);
    const double back =
        words.anchor == Anchor::start ? 0 : extents.x_advance / (words.anchor == Anchor::middle ? 2 : 1);
    draw("save");
    draw("translate", words.x, words.y);
    if (words.upwards) draw("rotate", -std::numbers::pi / 2);
    draw("move_to", -back, 0.0);
    draw("show_text", text.c_str());
    draw("restore");
    draw("new_path");
  }

 private:
  template <class... Arguments>
  void draw(const char* name, Arguments... arguments) const {
    cairo_.call<void>(name, context_, arguments...);
  }
  // "#0072b2"
  void set_colour(const std::string& colour) const {
    const auto rgb = base::parse_hex32(std::string_view(colour).substr(1)).value_or(0);
    const auto part = [rgb](unsigned shift) { return static_cast<double>(rgb >> shift & 0xff) / 255; };
    draw("set_source_rgb", part(16), part(8), part(0));
  }

  const Cairo& cairo_;
  Context* context_;
};

}  // namespace

void save_png(const Picture& picture, const std::string& path) {
  const Cairo cairo(path);
  constexpr int rgb24 = 1;
  const auto pixels = [](double length) { return static_cast<int>(length * scale); };
  const auto destroy_surface = [&](Surface* surface) { cairo.call<void>("surface_destroy", surface); };
  const std::unique_ptr<Surface, decltype(destroy_surface)> surface(
      cairo.call<Surface*>("image_surface_create", rgb24, pixels(picture.width), pixels(picture.height)),
      destroy_surface);
  const auto destroy_context = [&](Context* context) { cairo.call<void>("destroy", context); };
  const std::unique_ptr<Context, decltype(destroy_context)> context(cairo.call<Context*>("create", surface.get()),
                                                                    destroy_context);
  cairo.call<void>("scale", context.get(), scale, scale);
  PngWriter writer(cairo, context.get());
  writer(Rectangle{0, 0, picture.width, picture.height, "#ffffff"});
  for (const auto& shape : picture.shapes) std::visit(writer, shape);
  if (const int status = cairo.call<int>("surface_write_to_png", surface.get(), path.c_str()); status != 0) {
    throw Error(Code::io,
                fmt::format("{}: cannot write: {}", path, cairo.call<const char*>("status_to_string", status)),
                {.path = path});
  }
}

}  // namespace lq::plot
