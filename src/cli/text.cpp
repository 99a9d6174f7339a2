// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/text.hpp"

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

std::string count(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string human_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
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
