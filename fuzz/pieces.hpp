// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several files out of the bytes of one input: they are cut at a separator.
#pragma once

#include <string_view>
#include <vector>

namespace lq::fuzz {

inline std::vector<std::string_view> pieces(std::string_view input, std::size_t most) {
  constexpr std::string_view separator = "\xff\xfe\xfd\xfc";
  std::vector<std::string_view> all;
  while (all.size() < most) {
    const std::size_t end = input.find(separator);
    all.push_back(input.substr(0, end));
    if (end == std::string_view::npos) break;
    input.remove_prefix(end + separator.size());
  }
  return all;
}

}  // namespace lq::fuzz
