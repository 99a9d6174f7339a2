// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/copies.hpp"

#include <limequat/error.hpp>

namespace lq::device {

Copies::Copies(const Driver& driver, Home home, std::size_t block_bytes) : driver_(driver), home_(home) {
  const Inside inside(driver_, home_);
  try {
    driver_.wait_for_all();
    make(block_bytes);
  } catch (...) {
    free();
    throw;
  }
}

void Copies::make(std::size_t block_bytes) {
  stream_ = driver_.make_stream();
  for (Block& block : blocks_) {
    block.memory = driver_.allocate_locked(block_bytes);
    block.copied = driver_.make_event();
  }
}

// Copies that were begun for nobody any more, after a failure or ahead, must not run into memory that is gone.
Copies::~Copies() {
  try {
    const Inside inside(driver_, home_);
    if (blocks_[0].is_moving || blocks_[1].is_moving) driver_.wait_for_stream(stream_);
  } catch (const Error&) {  // what failed for good has failed before, for whoever waited for it
  }
  free();
}

void Copies::free() noexcept {
  for (const Block& block : blocks_) {
    if (block.copied != nullptr) driver_.destroy_event(block.copied);
    if (block.memory != nullptr) driver_.free_locked(block.memory);
  }
  if (stream_ != nullptr) driver_.destroy_stream(stream_);
}

void Copies::begin(Direction direction, const Rows& rows, std::size_t i, std::size_t offset) {
  const Inside inside(driver_, home_);
  Block& block = blocks_[i];
  block.is_moving = true;
  driver_.copy(direction, rows, block.memory + offset, stream_);
  driver_.record(block.copied, stream_);
}

void Copies::wait(std::size_t i) {
  Block& block = blocks_[i];
  if (!block.is_moving) return;
  const Inside inside(driver_, home_);
  driver_.wait(block.copied);
  block.is_moving = false;
}

}  // namespace lq::device
