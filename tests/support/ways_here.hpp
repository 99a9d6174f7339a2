// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The strategies that this machine permits: some emulators and sandboxes keep the memory of other ranks out of reach.
#pragma once

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <limequat/file.hpp>

#include "comm/node.hpp"

namespace lq::testing {

inline bool can_pull() {
  std::uint64_t number = 1, found = 0;
  const std::array<comm::NeighbourPiece, 1> piece{{{reinterpret_cast<std::uint64_t>(&number), sizeof number}}};
  return comm::pull(::getpid(), piece, reinterpret_cast<std::byte*>(&found)) == 0 && found == number;
}

// Without those that need what is not permitted.
template <class Way, class StrategyOf = std::identity>
std::vector<Way> ways_here(std::vector<Way> ways, StrategyOf strategy_of = {}) {
  if (can_pull()) return ways;
  std::erase_if(ways, [&](const Way& way) { return std::invoke(strategy_of, way) == Strategy::pull; });
  return ways;
}

inline std::vector<Strategy> strategies_here() {
  return ways_here(std::vector{Strategy::direct, Strategy::shared, Strategy::pull, Strategy::messages});
}

}  // namespace lq::testing
