// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "cli/text.hpp"

namespace lq::cli {
namespace {

constexpr std::size_t least_width = 40, usual_width = 80;

std::string_view variable(const char* name) noexcept {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

// 0: unknown.
std::size_t width_of_terminal(int file) noexcept {
  struct winsize size {};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

bool shows_colours(int file) noexcept {
  return ::isatty(file) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::string in_colour(std::string_view text, Style style) {
  constexpr const char* codes[] = {"", "1", "36", "32", "33", "31"};
  const char* code = codes[static_cast<std::size_t>(style)];
  if (*code == '\0' || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::size_t line_width() noexcept {
  const std::string_view columns = variable("COLUMNS");
  std::size_t width = 0;
  const auto [stop, failure] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (failure != std::errc() || stop != columns.data() + columns.size()) width = 0;
  // `lq --help | less`: stderr's terminal is the pager's.
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) {
    if (width == 0) width = width_of_terminal(file);
  }
  return std::max(width == 0 ? usual_width : width, least_width);
}

std::string wrapped(std::string_view text, std::size_t used, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t at = used;
  bool is_first = true;
  for (const std::string& word : split(text, ' ')) {
    const std::size_t length = width_of(word);
    if (!is_first && at + 1 + length > width) {
      result += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!is_first) {
      result += ' ';
      ++at;
    }
    result += word;
    at += length;
    is_first = false;
  }
  return result;
}

}  // namespace lq::cli
