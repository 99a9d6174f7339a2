// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/copies.hpp"

namespace lq::device {

Copies::Copies(const Driver& driver, DeviceContext home, std::size_t block_bytes) : driver_(driver), home_(home) {
  const ContextScope inside(driver_, home_);
  driver_.wait_for_all();
  for (PooledBuffer& block : blocks_) block = PooledBuffer(driver_, home_, block_bytes, 0);
}

void Copies::begin(Direction direction, const Rows& rows, std::size_t i, std::size_t offset) {
  const ContextScope inside(driver_, home_);
  PooledBuffer& block = blocks_[i];
  block.begins();
  driver_.copy(direction, rows, block.host() + offset, block.stream());
  block.has_begun();
}

}  // namespace lq::device
