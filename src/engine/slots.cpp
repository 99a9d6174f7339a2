// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/slots.hpp"

#include <new>

namespace lq::engine {

void Slots::reset() const noexcept {
  for (std::uint64_t i = 0; i < count; ++i) new (&control(i)) SlotControl;
  new (&given_up()) std::atomic<std::uint64_t>(0);
}

std::uint64_t Slots::find(std::uint64_t chunk) const noexcept {
  std::uint64_t i = 0;
  while (i < count && control(i).open.load(std::memory_order_acquire) != chunk + 1) ++i;
  return i;
}

}  // namespace lq::engine
