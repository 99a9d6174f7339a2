// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/names.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::format::sion {

std::string file_name(const std::string& name, std::int32_t number) {
  return number == 0 ? name : fmt::format("{}.{:06d}", name, number);
}

std::string buddy_name(const std::string& name, std::int32_t level) {
  return fmt::format("{}_BUDDY_{:02d}", name, level);
}

std::string copy_name(const std::string& name, std::int32_t level, std::int32_t number, const SetRule& rule) {
  const std::string set = buddy_name(name, level);
  return rule ? rule(set, number) : file_name(set, number);
}

SetName split_name(std::string_view path) {
  constexpr std::size_t fewest_digits = 6;
  const std::size_t dot = path.rfind('.');
  const SetName whole{std::string(path), 0};
  if (dot == std::string_view::npos || dot == 0 || path[dot - 1] == '/') return whole;
  const std::string_view digits = path.substr(dot + 1);
  const bool plain = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (digits.size() < fewest_digits || !plain || (digits.size() > fewest_digits && digits[0] == '0')) return whole;
  const auto number = base::parse_u64(digits);
  if (!number || *number == 0 || *number > std::numeric_limits<std::int32_t>::max()) return whole;
  return {std::string(path.substr(0, dot)), static_cast<std::int32_t>(*number)};
}

}  // namespace lq::format::sion
