// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/pooled_buffer.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <limequat/error.hpp>

namespace lq::device {
namespace {

using Parts = PooledBuffer::Parts;

void free_parts(const Parts& parts) noexcept {
  if (parts.done != nullptr) parts.driver->destroy_event(parts.done);
  if (parts.stream != nullptr) parts.driver->destroy_stream(parts.stream);
  if (parts.gpu != nullptr) parts.driver->free(parts.gpu);
  if (parts.host != nullptr) parts.driver->free_locked(parts.host);
}

void free_in_context(const Parts& parts) noexcept {
  try {
    const ContextScope inside(*parts.driver, parts.context);
    free_parts(parts);
  } catch (const Error&) {
    free_parts(parts);
  }
}

// Unused blocks. Never destroyed: at exit the driver may be gone before them.
class Store {
 public:
  static Store& get() {
    static Store& store = *new Store;
    return store;
  }

  // A block of the context that is large enough and not much too large; its driver is null if there is none.
  Parts take(const Driver& driver, DeviceContext context, std::size_t host_bytes, std::size_t gpu_bytes) {
    const std::lock_guard lock(mutex_);
    drop_former(driver, context);
    const auto serves = [&](const Parts& parts) {
      return parts.driver == &driver && parts.context == context && is_near(parts.host_bytes, host_bytes) &&
             is_near(parts.gpu_bytes, gpu_bytes);
    };
    const auto found = std::find_if(kept_.begin(), kept_.end(), serves);
    if (found == kept_.end()) return {};
    const Parts parts = *found;
    kept_.erase(found);
    return parts;
  }

  // False if the limit is reached.
  bool keep(const Parts& parts) noexcept try {
    const std::lock_guard lock(mutex_);
    std::size_t host_bytes = parts.host_bytes, gpu_bytes = parts.gpu_bytes;
    for (const Parts& other : kept_) {
      host_bytes += other.host_bytes;
      gpu_bytes += other.gpu_bytes;
    }
    if (std::max(host_bytes, gpu_bytes) > most_kept_bytes) return false;
    kept_.push_back(parts);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  std::vector<Parts> take_all() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(kept_, {});
  }

 private:
  static bool is_near(std::size_t bytes, std::size_t wanted) noexcept { return bytes >= wanted && bytes / 2 <= wanted; }

  // A GPU that was reset has another context at the same address, and the memory of the former one is gone.
  void drop_former(const Driver& driver, DeviceContext context) {
    std::erase_if(kept_, [&](const Parts& parts) {
      return parts.driver == &driver && parts.context.handle == context.handle && parts.context != context;
    });
  }

  std::mutex mutex_;
  std::vector<Parts> kept_;
};

void make(Parts& parts) {
  const Driver& driver = *parts.driver;
  parts.host = driver.allocate_locked(parts.host_bytes);
  if (parts.gpu_bytes > 0) parts.gpu = driver.allocate(parts.gpu_bytes);
  parts.stream = driver.make_stream();
  parts.done = driver.make_event();
}

}  // namespace

PooledBuffer::PooledBuffer(const Driver& driver, DeviceContext context, std::size_t host_bytes, std::size_t gpu_bytes)
    : parts_(Store::get().take(driver, context, host_bytes, gpu_bytes)) {
  if (parts_.driver != nullptr) return;
  parts_ = {&driver, context, host_bytes, gpu_bytes, nullptr, nullptr, nullptr, nullptr};
  try {
    make(parts_);
  } catch (...) {
    free_parts(parts_);
    throw;
  }
}

PooledBuffer::~PooledBuffer() {
  if (parts_.driver == nullptr) return;
  bool is_idle = !is_moving_;
  try {
    const ContextScope inside(*parts_.driver, parts_.context);
    if (is_moving_) parts_.driver->wait_for_stream(parts_.stream);
    is_idle = true;
  } catch (...) {  // permanent errors were reported before, to the thread that waited
  }
  if (!is_idle || !Store::get().keep(parts_)) free_in_context(parts_);
}

void PooledBuffer::swap(PooledBuffer& other) noexcept {
  std::swap(parts_, other.parts_);
  std::swap(is_moving_, other.is_moving_);
}

void PooledBuffer::has_begun() const { parts_.driver->record(parts_.done, parts_.stream); }

bool PooledBuffer::wait() {
  if (!is_moving_) return false;
  const ContextScope inside(*parts_.driver, parts_.context);
  parts_.driver->wait(parts_.done);
  is_moving_ = false;
  return true;
}

void free_kept_blocks() noexcept {
  for (const Parts& parts : Store::get().take_all()) free_in_context(parts);
}

}  // namespace lq::device
