// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies between memory of a GPU and two page-locked blocks of the host: one block is copied while the other is in use.
#pragma once

#include <array>

#include "device/pooled_buffer.hpp"

namespace lq::device {

class Copies {
 public:
  static constexpr std::size_t blocks = 2;

  // Local. `memory` is that home's. Waits for what the program has given the GPU to do: its results are part of the
  // field.
  Copies(const Driver& driver, DeviceContext home, std::size_t block_bytes);

  std::byte* block(std::size_t i) const noexcept { return blocks_[i].host(); }
  // Rows of at most a block's bytes in all, which lie there from `offset` on. The block is not to be touched until
  // wait(i).
  void begin(Direction direction, const Rows& rows, std::size_t i, std::size_t offset = 0);
  // Until what was begun with the block is done; at once if nothing was.
  void wait(std::size_t i) { blocks_[i].wait(); }

 private:
  const Driver& driver_;
  DeviceContext home_;
  std::array<PooledBuffer, blocks> blocks_;
};

}  // namespace lq::device
