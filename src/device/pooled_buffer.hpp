// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A page-locked block of the host, one of a GPU, a stream and an event, lent to a transfer at a time. To make and to
// free them takes a driver longer than a block takes on the bus, and others wait meanwhile; so they are kept for the
// next transfer, up to a limit.
#pragma once

#include <cstddef>

#include "device/driver.hpp"

namespace lq::device {

class PooledBuffer {
 public:
  PooledBuffer() = default;
  // In the home. No block of a GPU where `gpu_bytes` is 0. Throws Error as Driver does.
  PooledBuffer(const Driver& driver, DeviceContext home, std::size_t host_bytes, std::size_t gpu_bytes);
  // Waits for what was begun for nobody any more: it must not run into memory that has another use. Not in the home.
  ~PooledBuffer();
  PooledBuffer(PooledBuffer&& other) noexcept { swap(other); }
  PooledBuffer& operator=(PooledBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  std::byte* host() const noexcept { return parts_.host; }
  std::byte* gpu() const noexcept { return parts_.gpu; }
  Driver::Handle stream() const noexcept { return parts_.stream; }

  // In the home: something is about to be begun on the stream, and has been begun.
  void begins() noexcept { is_moving_ = true; }
  void has_begun() const;
  // Until it is done; at once if nothing was begun. Whether something was.
  bool wait();

  struct Parts {
    const Driver* driver = nullptr;
    DeviceContext home;
    std::size_t host_bytes = 0, gpu_bytes = 0;
    std::byte *host = nullptr, *gpu = nullptr;
    Driver::Handle stream = nullptr, done = nullptr;  // done: event
  };

 private:
  void swap(PooledBuffer& other) noexcept;

  Parts parts_;
  bool is_moving_ = false;
};

// Local. Bytes of the host that are kept for the next transfers at most, and as many of GPUs.
inline constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

// Local. Frees what is kept.
void free_kept_blocks() noexcept;

}  // namespace lq::device
