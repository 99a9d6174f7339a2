// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Words that a damaged bit or a lost byte makes of each other.
#pragma once

#include <algorithm>
#include <string_view>

namespace lq::base {

// Whether they differ in one letter: another one, or one that only one of them has.
inline bool one_edit_apart(std::string_view a, std::string_view b) noexcept {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_b == b.end()) return false;
  const auto behind_a = a.size() == b.size() ? in_a + 1 : in_a;
  return std::equal(behind_a, a.end(), in_b + 1, b.end());
}

}  // namespace lq::base
