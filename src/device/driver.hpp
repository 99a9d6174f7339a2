// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The required functions of a GPU driver. It is found in the running program: nothing is linked, and no driver is
// loaded or started, because the owner of GPU memory has done that before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace lq::device {

// The context of GPU memory: the driver's handle, and a number that is never reused (0: unknown), because after a reset
// of the GPU a new context may have the handle of the former one.
struct DeviceContext {
  void* handle = nullptr;
  std::uint64_t number = 0;

  auto operator<=>(const DeviceContext&) const = default;
};

// Evenly spaced pieces of memory of a GPU.
struct Rows {
  std::byte* first = nullptr;
  std::size_t row_bytes = 0;
  std::ptrdiff_t stride = 0;  // bytes from one to the next
  std::size_t count = 0;

  bool is_dense() const noexcept { return count <= 1 || stride == static_cast<std::ptrdiff_t>(row_bytes); }
};

enum class Direction { to_host, to_device };

enum class Kind { cuda, hip };

// All functions are called between enter() and leave(), except owns() and those that free and destroy. They throw
// Error: out_of_memory, or io with the name of the call and the driver's message.
class Driver {
 public:
  using Handle = void*;

  virtual ~Driver() = default;
  virtual std::string_view name() const noexcept = 0;
  virtual Kind kind() const noexcept = 0;

  // True if a GPU owns that memory; sets its context. False for memory that the host can access.
  virtual bool owns(const void* memory, DeviceContext& context) const = 0;

  virtual void enter(DeviceContext context) const = 0;
  virtual void leave() const noexcept = 0;
  // Waits until all operations started in this context are done.
  virtual void wait_for_all() const = 0;

  // Memory of the GPU.
  virtual std::byte* allocate(std::size_t bytes) const = 0;
  virtual void free(std::byte* memory) const noexcept = 0;
  // Page-locked memory of the host, which allows copies at full speed.
  virtual std::byte* allocate_locked(std::size_t bytes) const = 0;
  virtual void free_locked(std::byte* memory) const noexcept = 0;
  virtual Handle make_stream() const = 0;
  virtual void wait_for_stream(Handle stream) const = 0;
  virtual void destroy_stream(Handle stream) const noexcept = 0;
  virtual Handle make_event() const = 0;
  virtual void destroy_event(Handle event) const noexcept = 0;
  virtual void record(Handle event, Handle stream) const = 0;
  virtual void wait(Handle event) const = 0;
  // Starts to copy rows to or from `host`, where they are contiguous.
  virtual void copy(Direction direction, const Rows& rows, std::byte* host, Handle stream) const = 0;

  // For CUDA: the compute capability of the GPU, 90 for 9.0; else 0.
  virtual int architecture() const = 0;
  // Loads compiled code, which stays until the context is destroyed.
  virtual Handle load_module(const void* image) const = 0;
  virtual Handle find_function(Handle module, const char* name) const = 0;
  // Starts `blocks` times `threads` threads of a function that takes one structure, which is copied.
  virtual void launch(Handle function, unsigned blocks, unsigned threads, void* argument, Handle stream) const = 0;
};

// Local. The driver of that kind, if the program has loaded one; else nullptr. The library found at the first such call
// is kept.
const Driver* driver_of_kind(Kind kind);

// Local. True if the program has loaded any.
bool has_driver();

// Local. The driver that owns the memory, and its context; nullptr for memory of the host. invalid_argument for invalid
// addresses, such as memory that was freed; this check is made only if there is a driver.
const Driver* driver_of(const void* memory, DeviceContext& context);

// Local. True if a driver owns the memory.
bool is_device_memory(const void* memory);

// Makes a context current while it exists.
class ContextScope {
 public:
  ContextScope(const Driver& driver, DeviceContext context) : driver_(driver) { driver.enter(context); }
  ~ContextScope() { driver_.leave(); }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const Driver& driver_;
};

}  // namespace lq::device
