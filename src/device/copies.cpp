// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/copies.hpp"

namespace lq::device {

Copies::Copies(const Driver& driver, Home home, std::size_t block_bytes) : driver_(driver), home_(home) {
  const Inside inside(driver_, home_);
  driver_.wait_for_all();
  for (LentBlock& block : blocks_) block = LentBlock(driver_, home_, block_bytes, 0);
}

void Copies::begin(Direction direction, const Rows& rows, std::size_t i, std::size_t offset) {
  const Inside inside(driver_, home_);
  LentBlock& block = blocks_[i];
  block.begins();
  driver_.copy(direction, rows, block.host() + offset, block.stream());
  block.has_begun();
}

}  // namespace lq::device
