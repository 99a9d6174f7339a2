// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/place_table.hpp"

#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"

namespace lq::lattice {
namespace {

// Memory with more room between its sites than this is rather a table that was never filled, or one of other numbers.
constexpr std::uint64_t most_room = 64;

[[noreturn]] void refuse_table(const std::string& why) {
  throw Error(Code::invalid_argument, "the table of places of the description of the memory " + why);
}

}  // namespace

std::uint64_t places_needed(std::span<const std::uint64_t> table, std::uint64_t entries) {
  if (table.size() < entries) refuse_table(fmt::format("has {} entries, but {} are needed", table.size(), entries));
  const std::uint64_t limit = base::multiply_or_throw(entries, most_room, "the places in a table");
  std::vector<bool> is_taken;
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t place = table[static_cast<std::size_t>(i)];
    if (place >= limit) {
      refuse_table(
          fmt::format("has place {} in entry {}; expected less than {} for {} entries", place, i, limit, entries));
    }
    if (place >= is_taken.size()) is_taken.resize(static_cast<std::size_t>(place + place / 2 + 1));
    if (is_taken[static_cast<std::size_t>(place)]) {
      refuse_table(fmt::format("has place {} twice, the second time in entry {}", place, i));
    }
    is_taken[static_cast<std::size_t>(place)] = true;
  }
  std::uint64_t last = is_taken.size();
  while (last > 0 && !is_taken[static_cast<std::size_t>(last - 1)]) --last;
  return last;
}

}  // namespace lq::lattice
