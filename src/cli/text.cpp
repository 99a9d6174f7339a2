// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See text.hpp.
#include "cli/text.hpp"

#include <array>

#include <fmt/format.h>

namespace lq::cli {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
  }
  return parts;
}

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view blanks(" \t\n\r\f\v\0", 7);
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string printable(std::string_view bytes, std::size_t limit) {
  std::string text;
  for (const char c : bytes) {
    if (text.size() >= limit) return text + "...";
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte != 0x7f;  // UTF-8 passes
    text += plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return text;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::array units = {"kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, units[unit]);
}

std::string count(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string describe(const FieldSpec& spec) {
  if (spec.kind != FieldKind::generic) return fmt::format("{} SU({})", name(spec.kind), spec.colors);
  if (spec.numbers == 0) return "bytes";
  const std::uint64_t numbers = spec.is_complex ? spec.numbers / 2 : spec.numbers;
  return count(numbers, spec.is_complex ? "complex number" : "real number");
}

std::string_view without_path(std::string_view message, std::string_view path) noexcept {
  if (!message.starts_with(path) || !message.substr(path.size()).starts_with(": ")) return message;
  return message.substr(path.size() + 2);
}

}  // namespace lq::cli
