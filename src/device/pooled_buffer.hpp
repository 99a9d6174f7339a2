// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A page-locked block of the host, one of a GPU, a stream and an event, lent to one transfer at a time. A driver takes
// longer to create and free them than to transfer a block, and other threads wait in the meantime; so they are kept for
// later transfers, up to a limit.
#pragma once

#include <cstddef>

#include "device/driver.hpp"

namespace lq::device {

class PooledBuffer {
 public:
  PooledBuffer() = default;
  // Call in the context. No block of a GPU if `gpu_bytes` is 0. Throws Error as Driver does.
  PooledBuffer(const Driver& driver, DeviceContext context, std::size_t host_bytes, std::size_t gpu_bytes);
  // Waits for an abandoned operation, which must not write into memory that is reused. Call outside the context.
  ~PooledBuffer();
  PooledBuffer(PooledBuffer&& other) noexcept { swap(other); }
  PooledBuffer& operator=(PooledBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  std::byte* host() const noexcept { return parts_.host; }
  std::byte* gpu() const noexcept { return parts_.gpu; }
  Driver::Handle stream() const noexcept { return parts_.stream; }

  // Call in the context: an operation on the stream is about to start, and has started.
  void begins() noexcept { is_moving_ = true; }
  void has_begun() const;
  // Waits until it is done, if one was started. Returns true if there was one.
  bool wait();

  struct Parts {
    const Driver* driver = nullptr;
    DeviceContext context;
    std::size_t host_bytes = 0, gpu_bytes = 0;
    std::byte *host = nullptr, *gpu = nullptr;
    Driver::Handle stream = nullptr, done = nullptr;  // done: event
  };

 private:
  void swap(PooledBuffer& other) noexcept;

  Parts parts_;
  bool is_moving_ = false;
};

// Local. Maximum bytes of host memory kept for later transfers, and the same of GPU memory.
inline constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

// Local. Frees the kept blocks.
void free_kept_blocks() noexcept;

}  // namespace lq::device
