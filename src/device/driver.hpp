// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked of the driver of a GPU. It is found in the program that runs, at run time: nothing is linked, and no
// driver is loaded or started, for whoever has memory of a GPU has done that before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace lq::device {

// Where memory of a GPU belongs to: the driver's own handle, and a number that no other home ever has (0: the driver
// tells none), for a GPU that was reset may have a new home with the handle of the former one.
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

// Everything is called between enter() and leave(), except for owns() and what frees and destroys. All of them throw
// Error: out_of_memory, or io with the name of the call and the driver's words.
class Driver {
 public:
  using Handle = void*;

  virtual ~Driver() = default;
  virtual std::string_view name() const noexcept = 0;
  virtual Kind kind() const noexcept = 0;

  // Whether a GPU owns that memory, and which. False for memory that the host may touch.
  virtual bool owns(const void* memory, DeviceContext& home) const = 0;

  virtual void enter(DeviceContext home) const = 0;
  virtual void leave() const noexcept = 0;
  // Until everything is done that was begun in this home.
  virtual void wait_for_all() const = 0;

  // Memory of the GPU.
  virtual std::byte* allocate(std::size_t bytes) const = 0;
  virtual void free(std::byte* memory) const noexcept = 0;
  // Page-locked memory of the host, which copies pass through at full speed.
  virtual std::byte* allocate_locked(std::size_t bytes) const = 0;
  virtual void free_locked(std::byte* memory) const noexcept = 0;
  virtual Handle make_stream() const = 0;
  virtual void wait_for_stream(Handle stream) const = 0;
  virtual void destroy_stream(Handle stream) const noexcept = 0;
  virtual Handle make_event() const = 0;
  virtual void destroy_event(Handle event) const noexcept = 0;
  virtual void record(Handle event, Handle stream) const = 0;
  virtual void wait(Handle event) const = 0;
  // Begins to copy rows to or from `host`, where they are contiguous.
  virtual void copy(Direction direction, const Rows& rows, std::byte* host, Handle stream) const = 0;

  // Of CUDA: the compute capability of the GPU, 90 for 9.0; else 0.
  virtual int architecture() const = 0;
  // Compiled code; it stays until the home is gone.
  virtual Handle load_module(const void* image) const = 0;
  virtual Handle find_function(Handle module, const char* name) const = 0;
  // Begins `blocks` times `threads` threads of a function that takes one structure, which is copied.
  virtual void launch(Handle function, unsigned blocks, unsigned threads, void* argument, Handle stream) const = 0;
};

// Local. Of that kind, if the program has loaded one; nullptr: none. The library as it is found at the first such call
// stays.
const Driver* driver_of_kind(Kind kind);

// Local. Whether the program has loaded any.
bool has_driver();

// Local. The driver whose memory that is, and its home; nullptr for memory of the host. invalid_argument for addresses
// that are nobody's, such as memory that was freed: only where there is a driver, for others are spared the question.
const Driver* driver_of(const void* memory, DeviceContext& home);

// Local. The same as a question.
bool is_device_memory(const void* memory);

// In a home, as long as it lives.
class ContextScope {
 public:
  ContextScope(const Driver& driver, DeviceContext home) : driver_(driver) { driver.enter(home); }
  ~ContextScope() { driver_.leave(); }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const Driver& driver_;
};

}  // namespace lq::device
