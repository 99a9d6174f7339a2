// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/numbered_name.hpp"

#include <charconv>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/text.hpp"

namespace lq::cli {

NumberedName parse_numbered_name(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) return {text};
  std::uint64_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + colon + 1, end, index);
  if (stop != end) return {text};
  if (failure != std::errc()) {
    throw UsageError(fmt::format("NAME:N: the number in \"{}\" is too large", printable(text)));
  }
  return {text.substr(0, colon), index};
}

}  // namespace lq::cli
