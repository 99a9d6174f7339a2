// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies between memory of a GPU and two page-locked blocks of the host, on a stream of our own: one block is copied
// while the other is in use.
#pragma once

#include <array>

#include "device/driver.hpp"

namespace lq::device {

class Copies {
 public:
  static constexpr std::size_t blocks = 2;

  // Local. `memory` is that home's. Waits for what the program has given the GPU to do: its results are part of the
  // field.
  Copies(const Driver& driver, Home home, std::size_t block_bytes);
  ~Copies();
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  std::byte* block(std::size_t i) const noexcept { return blocks_[i].memory; }
  // Rows of at most a block's bytes in all, which lie there from `offset` on. The block is not to be touched until
  // wait(i).
  void begin(Direction direction, const Rows& rows, std::size_t i, std::size_t offset = 0);
  // Until what was begun with the block is done; at once if nothing was.
  void wait(std::size_t i);

 private:
  struct Block {
    std::byte* memory = nullptr;
    Driver::Handle copied = nullptr;  // event
    bool is_moving = false;
  };

  void make(std::size_t block_bytes);
  void free() noexcept;

  const Driver& driver_;
  Home home_;
  Driver::Handle stream_ = nullptr;
  std::array<Block, blocks> blocks_;
};

}  // namespace lq::device
