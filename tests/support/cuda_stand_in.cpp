// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// libcuda.so.1 as far as we use it, over memory of the host. "Device" memory has two addresses: the one that programs
// get, where any touch faults, and one that only this file knows. What is begun on a stream is done no earlier than
// somebody waits for it, so that who does not wait sees it. The n-th call can be made to fail. Like the real one it
// takes calls from several threads.
#include "support/cuda_stand_in.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#define STAND_IN extern "C" __attribute__((visibility("default")))

namespace {

using Address = std::uint64_t;
using Result = int;
constexpr Result success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, invalid_context = 201,
                 illegal_address = 700;

struct Memory {
  std::size_t bytes = 0;
  std::byte* behind = nullptr;  // the same pages, to be touched
};

struct Stream {
  std::vector<std::function<void()>> begun;
  std::size_t done = 0;
  void finish(std::size_t count) {
    for (; done < count; ++done) begun[done]();
  }
};

struct Event {
  Stream* stream = nullptr;
  std::size_t count = 0;  // of what was begun before it
};

struct Copy2D {
  struct Side {
    std::size_t x, y;
    int memory_type;
    void* host;
    Address device;
    void* array;
    std::size_t pitch;
  };
  Side from, to;
  std::size_t width, height;
};

std::mutex mutex;
std::map<Address, Memory> memories;  // by first byte
std::map<void*, std::size_t> locked;
std::set<Stream*> streams;
std::set<Event*> events;
LqStandInCounts counts{};
std::uint64_t failing_call = 0;
int failing_result = illegal_address;
bool belongs_to_no_context = false;
bool has_begun = false;
int context = 0;  // its address is its handle
// Contexts pushed by a thread. Not thread_local: where a library is loaded later, the leak checker of clang 14 takes
// such a variable for memory at a wild address whenever it begins 16 bytes into a page.
std::map<std::thread::id, int> depths;

int& depth() { return depths[std::this_thread::get_id()]; }

// Counts a call; whether it is to fail.
bool fails() { return ++counts.calls == failing_call; }

Memory* find(Address address, std::size_t bytes, std::size_t& offset) {
  auto it = memories.upper_bound(address);
  if (it == memories.begin()) return nullptr;
  --it;
  offset = static_cast<std::size_t>(address - it->first);
  return offset + bytes <= it->second.bytes ? &it->second : nullptr;
}

// Where a copy may touch those bytes; nullptr: they are no device's.
std::byte* behind(Address address, std::size_t bytes) {
  std::size_t offset = 0;
  Memory* const memory = find(address, bytes, offset);
  return memory != nullptr ? memory->behind + offset : nullptr;
}

bool is_locked(const void* host, std::size_t bytes) {
  for (const auto& [first, length] : locked) {
    const auto* const begin = static_cast<const std::byte*>(first);
    if (host >= begin && static_cast<const std::byte*>(host) + bytes <= begin + length) return true;
  }
  return false;
}

Result begin_copy(void* to, const void* from, const void* host, std::size_t bytes, Stream* stream) {
  if (to == nullptr || from == nullptr || streams.count(stream) == 0) return illegal_address;
  if (depth() == 0) return invalid_context;
  if (!is_locked(host, bytes)) ++counts.copies_of_pageable_memory;
  ++counts.copies;
  counts.bytes += bytes;
  stream->begun.push_back([to, from, bytes] { std::memcpy(to, from, bytes); });
  return success;
}

}  // namespace

STAND_IN Result cuMemAlloc_v2(Address* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  const int file = memfd_create("device", 0);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t whole = (bytes + page - 1) / page * page;
  if (file < 0 || ftruncate(file, static_cast<off_t>(whole)) != 0) return out_of_memory;
  void* const seen = mmap(nullptr, whole, PROT_NONE, MAP_SHARED, file, 0);
  void* const behind = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (seen == MAP_FAILED || behind == MAP_FAILED) return out_of_memory;
  *memory = reinterpret_cast<Address>(seen);
  memories[*memory] = {bytes, static_cast<std::byte*>(behind)};
  return success;
}

STAND_IN Result cuMemFree_v2(Address memory) {
  const std::lock_guard lock(mutex);
  const auto it = memories.find(memory);
  if (it == memories.end()) return invalid_value;
  munmap(reinterpret_cast<void*>(memory), it->second.bytes);
  munmap(it->second.behind, it->second.bytes);
  memories.erase(it);
  return success;
}

// At once, as the real ones are for the program that calls them.
STAND_IN Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  std::byte* const place = behind(to, bytes);
  if (place == nullptr) return illegal_address;
  if (bytes > 0) std::memcpy(place, from, bytes);
  return success;
}

STAND_IN Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  const std::byte* const place = behind(from, bytes);
  if (place == nullptr) return illegal_address;
  if (bytes > 0) std::memcpy(to, place, bytes);
  return success;
}

STAND_IN Result cuInit(unsigned) {
  const std::lock_guard lock(mutex);
  has_begun = true;
  return success;
}

STAND_IN Result cuCtxSetCurrent(void* handle) { return handle == &context ? success : invalid_context; }

STAND_IN Result cuPointerGetAttribute(void* answer, int attribute, Address address) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (!has_begun) return not_initialized;
  std::size_t offset = 0;
  if (find(address, 1, offset) == nullptr) return invalid_value;
  switch (attribute) {
    case 1: {  // context
      void* const handle = belongs_to_no_context ? nullptr : &context;
      std::memcpy(answer, &handle, sizeof handle);
      return success;
    }
    case 2: {  // memory type
      const int device = 2;
      std::memcpy(answer, &device, sizeof device);
      return success;
    }
    case 9: {  // ordinal of the device
      const int ordinal = 0;
      std::memcpy(answer, &ordinal, sizeof ordinal);
      return success;
    }
    default:
      return invalid_value;
  }
}

STAND_IN Result cuDeviceGet(int* device, int ordinal) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *device = ordinal;
  return success;
}

STAND_IN Result cuDevicePrimaryCtxRetain(void** handle, int) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *handle = &context;
  return success;
}

STAND_IN Result cuCtxPushCurrent_v2(void* handle) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (handle != &context) return invalid_context;
  ++depth();
  return success;
}

STAND_IN Result cuCtxPopCurrent_v2(void** handle) {
  const std::lock_guard lock(mutex);
  if (depth() == 0) return invalid_context;
  --depth();
  *handle = &context;
  return success;
}

STAND_IN Result cuCtxSynchronize() {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (depth() == 0) return invalid_context;
  for (Stream* stream : streams) stream->finish(stream->begun.size());
  return success;
}

STAND_IN Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *memory = ::operator new(bytes);
  std::memset(*memory, 0xa5, bytes);
  locked[*memory] = bytes;
  ++counts.held;
  return success;
}

STAND_IN Result cuMemFreeHost(void* memory) {
  const std::lock_guard lock(mutex);
  if (locked.erase(memory) == 0) return invalid_value;
  ::operator delete(memory);
  --counts.held;
  return success;
}

STAND_IN Result cuStreamCreate(void** stream, unsigned) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *stream = *streams.insert(new Stream).first;
  ++counts.held;
  return success;
}

STAND_IN Result cuStreamSynchronize(void* stream) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  auto* const awaited = static_cast<Stream*>(stream);
  if (streams.count(awaited) == 0) return invalid_value;
  awaited->finish(awaited->begun.size());
  return success;
}

STAND_IN Result cuStreamDestroy_v2(void* stream) {
  const std::lock_guard lock(mutex);
  if (streams.erase(static_cast<Stream*>(stream)) == 0) return invalid_value;
  delete static_cast<Stream*>(stream);
  --counts.held;
  return success;
}

STAND_IN Result cuEventCreate(void** event, unsigned) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *event = *events.insert(new Event).first;
  ++counts.held;
  return success;
}

STAND_IN Result cuEventDestroy_v2(void* event) {
  const std::lock_guard lock(mutex);
  if (events.erase(static_cast<Event*>(event)) == 0) return invalid_value;
  delete static_cast<Event*>(event);
  --counts.held;
  return success;
}

STAND_IN Result cuEventRecord(void* event, void* stream) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  auto* const on = static_cast<Stream*>(stream);
  *static_cast<Event*>(event) = {on, on->begun.size()};
  return success;
}

STAND_IN Result cuEventSynchronize(void* event) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  const Event& awaited = *static_cast<Event*>(event);
  if (awaited.stream != nullptr && streams.count(awaited.stream) != 0) awaited.stream->finish(awaited.count);
  return success;
}

STAND_IN Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* stream) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  return begin_copy(to, behind(from, bytes), to, bytes, static_cast<Stream*>(stream));
}

STAND_IN Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void* stream) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  return begin_copy(behind(to, bytes), from, from, bytes, static_cast<Stream*>(stream));
}

STAND_IN Result cuMemcpy2DAsync_v2(const void* what, void* stream) {
  const auto* const copy = static_cast<const Copy2D*>(what);
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  const bool out = copy->from.memory_type == 2;
  const Copy2D::Side& device = out ? copy->from : copy->to;
  const Copy2D::Side& host = out ? copy->to : copy->from;
  if (device.memory_type != 2 || host.memory_type != 1 || device.pitch < copy->width) return invalid_value;
  for (std::size_t k = 0; k < copy->height; ++k) {
    std::byte* const near = static_cast<std::byte*>(host.host) + k * host.pitch;
    std::byte* const far = behind(device.device + k * device.pitch, copy->width);
    const Result result =
        begin_copy(out ? near : far, out ? far : near, near, copy->width, static_cast<Stream*>(stream));
    if (result != success) return result;
  }
  ++counts.strided;
  return success;
}

STAND_IN Result cuGetErrorName(Result result, const char** name) {
  *name = result == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_ILLEGAL_ADDRESS";
  return success;
}

STAND_IN Result cuGetErrorString(Result result, const char** words) {
  *words = result == out_of_memory ? "out of memory" : "an illegal memory access was encountered";
  return success;
}

STAND_IN LqStandInCounts lq_stand_in_counts() {
  const std::lock_guard lock(mutex);
  return counts;
}

STAND_IN void lq_stand_in_fail(std::uint64_t call, int result) {
  const std::lock_guard lock(mutex);
  failing_call = call == 0 ? 0 : counts.calls + call;
  failing_result = result;
}

STAND_IN void lq_stand_in_begun(int on) {
  const std::lock_guard lock(mutex);
  has_begun = on != 0;
}

STAND_IN void lq_stand_in_pool(int on) {
  const std::lock_guard lock(mutex);
  belongs_to_no_context = on != 0;
}
