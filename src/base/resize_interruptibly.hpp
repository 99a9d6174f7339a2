// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/interruption.hpp"

namespace lq::base {

// The same as resize() of an empty vector, which takes seconds for large lattices; throws if interrupted.
template <class T>
void resize_interruptibly(std::vector<T>& numbers, std::size_t count) {
  constexpr std::size_t at_once = std::size_t{1} << 24;
  numbers.reserve(count);
  while (numbers.size() < count) {
    throw_if_interrupted();
    numbers.resize(std::min(count, numbers.size() + at_once));
  }
}

}  // namespace lq::base
