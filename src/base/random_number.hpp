// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/random.h>

#include <cstdint>
#include <random>

namespace lq::base {

// Random number of the system, different for every process and call. Constructing a std::random_device queries the
// processor type each time, which on virtual machines takes longer than creating a file.
inline std::uint32_t random_number() {
  std::uint32_t number = 0;
  if (::getentropy(&number, sizeof number) == 0) return number;
  return std::random_device()();
}

}  // namespace lq::base
