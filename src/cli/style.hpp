// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a terminal supports: its width, and colours. Only a terminal gets colours, and none with NO_COLOR (not empty) or
// TERM=dumb.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lq::cli {

enum class Style { plain, heading, name, good, warning, bad };

// A piece of text in one style.
struct Piece {
  std::string text;
  Style style = Style::plain;
};
using Pieces = std::vector<Piece>;

bool shows_colours(int file) noexcept;
// `text` is printable already: control sequences are added here and nowhere else.
std::string in_colour(std::string_view text, Style style);

// Characters in a line: COLUMNS, or the width of the terminal; 80 if both are missing. At least 40.
std::size_t line_width() noexcept;

// Words of `text` in lines of `width` characters; the first line begins after `used` characters, all others after
// `indent` blanks. A longer word has a line to itself.
std::string wrapped(std::string_view text, std::size_t used, std::size_t indent, std::size_t width);

}  // namespace lq::cli
