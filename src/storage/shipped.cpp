// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/shipped.hpp"

#include <algorithm>

namespace lq::storage {

const Shipped* find_shipped(std::string_view name) {
  const std::span<const Shipped> all = shipped_machines();
  const auto found = std::ranges::find(all, name, &Shipped::name);
  return found == all.end() ? nullptr : &*found;
}

std::string names_of_shipped() {
  std::string names;
  for (const Shipped& one : shipped_machines()) {
    if (!names.empty()) names += ", ";
    names += one.name;
  }
  return names;
}

}  // namespace lq::storage
