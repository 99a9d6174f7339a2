// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two values of a reduction, for groups that have no reduction of their own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "comm/comm.hpp"

namespace lq::multifile {

inline std::uint64_t combine(std::uint64_t a, std::uint64_t b, comm::Reduce operation) noexcept {
  switch (operation) {
    case comm::Reduce::sum:
      return a + b;
    case comm::Reduce::min:
      return std::min(a, b);
    case comm::Reduce::max:
      return std::max(a, b);
    case comm::Reduce::bit_xor:
      return a ^ b;
    case comm::Reduce::bit_or:
      break;
  }
  return a | b;
}

}  // namespace lq::multifile
