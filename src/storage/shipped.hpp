// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptions of machines that come with the library: the profiles in machines/, by their names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lq::storage {

struct Shipped {
  std::string_view name;  // "frontier-like"
  std::string_view text;  // of a profile
};
std::span<const Shipped> shipped_machines();

// nullptr: there is none of this name.
const Shipped* find_shipped(std::string_view name);
// "alice-pvfs, bluegene-p, frontier-like"
std::string names_of_shipped();

}  // namespace lq::storage
