// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/random.h>

#include <cstdint>
#include <random>

namespace lq::base {

// Of the system, another one for every process and every call. A std::random_device asks the processor what it is each
// time that it is made, which takes longer than to create a file where a machine is virtual.
inline std::uint32_t random_number() {
  std::uint32_t number = 0;
  if (::getentropy(&number, sizeof number) == 0) return number;
  return std::random_device()();
}

}  // namespace lq::base
