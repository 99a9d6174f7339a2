// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// libcuda.so.1 as far as we use it, over memory of the host; with LQ_STAND_IN_HIP, libamdhip64.so.6. "Device" memory
// has two addresses: the one that programs get, where any touch faults, and one that only this file knows. What is
// begun on a stream is done no earlier than somebody waits for it, so that who does not wait sees it. The n-th call can
// be made to fail. Like the real one it takes calls from several threads.
#include "support/cuda_stand_in.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#ifdef LQ_STAND_IN_HIP
#define NAMED(cuda, hip) hip
#else
#define NAMED(cuda, hip) cuda
#endif
#define STAND_IN extern "C" __attribute__((visibility("default")))

namespace {

using Address = std::uint64_t;
using Result = int;
constexpr Result success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, invalid_context = 201,
                 invalid_handle = 400, illegal_address = 700;

struct Memory {
  std::size_t bytes = 0;
  std::byte* behind = nullptr;  // the same pages, to be touched
  bool is_held = false;         // by who works for the program
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
unsigned long long context_number = 1;
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

// Kernels see the memory of the device at the addresses that programs have.
void let_touch(bool on) {
  for (const auto& [address, memory] : memories) {
    mprotect(reinterpret_cast<void*>(address), memory.bytes, on ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

// A kernel of a module that tests/support/nvrtc_stand_in.cpp made, one thread after the other.
struct Kernel {
  std::size_t (*argument_bytes)() = nullptr;
  void (*run)(const void* argument, unsigned blocks, unsigned threads) = nullptr;
};

std::list<Kernel> kernels;  // a module stays as long as the program

}  // namespace

STAND_IN Result NAMED(cuMemAlloc_v2, hipMalloc)(Address* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  // Tests make the context current; who works for a program pushes it.
  const bool is_held = depth() > 0;
  if (is_held && fails()) return failing_result;
  const int file = memfd_create("device", 0);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t whole = (bytes + page - 1) / page * page;
  if (file < 0 || ftruncate(file, static_cast<off_t>(whole)) != 0) return out_of_memory;
  void* const seen = mmap(nullptr, whole, PROT_NONE, MAP_SHARED, file, 0);
  void* const behind = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (seen == MAP_FAILED || behind == MAP_FAILED) return out_of_memory;
  *memory = reinterpret_cast<Address>(seen);
  memories[*memory] = {bytes, static_cast<std::byte*>(behind), is_held};
  if (is_held) ++counts.held;
  return success;
}

STAND_IN Result NAMED(cuMemFree_v2, hipFree)(Address memory) {
  const std::lock_guard lock(mutex);
  const auto it = memories.find(memory);
  if (it == memories.end()) return invalid_value;
  munmap(reinterpret_cast<void*>(memory), it->second.bytes);
  munmap(it->second.behind, it->second.bytes);
  if (it->second.is_held) --counts.held;
  memories.erase(it);
  return success;
}

// At once, as the real ones are for the program that calls them.
STAND_IN Result NAMED(cuMemcpyHtoD_v2, hipMemcpyHtoD)(Address to, const void* from, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  std::byte* const place = behind(to, bytes);
  if (place == nullptr) return illegal_address;
  if (bytes > 0) std::memcpy(place, from, bytes);
  return success;
}

STAND_IN Result NAMED(cuMemcpyDtoH_v2, hipMemcpyDtoH)(void* to, Address from, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  const std::byte* const place = behind(from, bytes);
  if (place == nullptr) return illegal_address;
  if (bytes > 0) std::memcpy(to, place, bytes);
  return success;
}

STAND_IN Result NAMED(cuInit, hipInit)(unsigned) {
  const std::lock_guard lock(mutex);
  has_begun = true;
  return success;
}
STAND_IN Result NAMED(cuCtxSetCurrent, hipCtxSetCurrent)(void* handle) {
  return handle == &context ? success : invalid_context;
}

STAND_IN Result NAMED(cuPointerGetAttribute, hipPointerGetAttribute)(void* answer, int attribute, Address address) {
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

STAND_IN Result NAMED(cuDeviceGet, hipDeviceGet)(int* device, int ordinal) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *device = ordinal;
  return success;
}

STAND_IN Result NAMED(cuDevicePrimaryCtxRetain, hipDevicePrimaryCtxRetain)(void** handle, int) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *handle = &context;
  return success;
}

#ifndef LQ_STAND_IN_HIP
STAND_IN Result cuCtxGetId(void* handle, unsigned long long* number) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (handle != &context) return invalid_context;
  *number = context_number;
  return success;
}
#endif

STAND_IN Result NAMED(cuCtxPushCurrent_v2, hipCtxPushCurrent)(void* handle) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (handle != &context) return invalid_context;
  ++depth();
  return success;
}

STAND_IN Result NAMED(cuCtxPopCurrent_v2, hipCtxPopCurrent)(void** handle) {
  const std::lock_guard lock(mutex);
  if (depth() == 0) return invalid_context;
  --depth();
  *handle = &context;
  return success;
}

STAND_IN Result NAMED(cuCtxSynchronize, hipDeviceSynchronize)() {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (depth() == 0) return invalid_context;
  for (Stream* stream : streams) stream->finish(stream->begun.size());
  return success;
}

STAND_IN Result NAMED(cuMemHostAlloc, hipHostMalloc)(void** memory, std::size_t bytes, unsigned) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *memory = ::operator new(bytes);
  std::memset(*memory, 0xa5, bytes);
  locked[*memory] = bytes;
  ++counts.held;
  return success;
}

STAND_IN Result NAMED(cuMemFreeHost, hipHostFree)(void* memory) {
  const std::lock_guard lock(mutex);
  if (locked.erase(memory) == 0) return invalid_value;
  ::operator delete(memory);
  --counts.held;
  return success;
}

STAND_IN Result NAMED(cuStreamCreate, hipStreamCreateWithFlags)(void** stream, unsigned) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *stream = *streams.insert(new Stream).first;
  ++counts.held;
  return success;
}

STAND_IN Result NAMED(cuStreamSynchronize, hipStreamSynchronize)(void* stream) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  auto* const awaited = static_cast<Stream*>(stream);
  if (streams.count(awaited) == 0) return invalid_value;
  awaited->finish(awaited->begun.size());
  return success;
}

STAND_IN Result NAMED(cuStreamDestroy_v2, hipStreamDestroy)(void* stream) {
  const std::lock_guard lock(mutex);
  if (streams.erase(static_cast<Stream*>(stream)) == 0) return invalid_value;
  delete static_cast<Stream*>(stream);
  --counts.held;
  return success;
}

STAND_IN Result NAMED(cuEventCreate, hipEventCreateWithFlags)(void** event, unsigned) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *event = *events.insert(new Event).first;
  ++counts.held;
  return success;
}

STAND_IN Result NAMED(cuEventDestroy_v2, hipEventDestroy)(void* event) {
  const std::lock_guard lock(mutex);
  if (events.erase(static_cast<Event*>(event)) == 0) return invalid_value;
  delete static_cast<Event*>(event);
  --counts.held;
  return success;
}

STAND_IN Result NAMED(cuEventRecord, hipEventRecord)(void* event, void* stream) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  auto* const on = static_cast<Stream*>(stream);
  if (streams.count(on) == 0 || events.count(static_cast<Event*>(event)) == 0) return invalid_handle;
  *static_cast<Event*>(event) = {on, on->begun.size()};
  return success;
}

STAND_IN Result NAMED(cuEventSynchronize, hipEventSynchronize)(void* event) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (events.count(static_cast<Event*>(event)) == 0) return invalid_handle;
  const Event& awaited = *static_cast<Event*>(event);
  if (awaited.stream != nullptr && streams.count(awaited.stream) != 0) awaited.stream->finish(awaited.count);
  return success;
}

STAND_IN Result NAMED(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void* to, Address from, std::size_t bytes,
                                                                void* stream) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  return begin_copy(to, behind(from, bytes), to, bytes, static_cast<Stream*>(stream));
}

STAND_IN Result NAMED(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(Address to, const void* from, std::size_t bytes,
                                                                void* stream) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  return begin_copy(behind(to, bytes), from, from, bytes, static_cast<Stream*>(stream));
}

STAND_IN Result NAMED(cuMemcpy2DAsync_v2, hipMemcpyParam2DAsync)(const void* what, void* stream) {
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

STAND_IN Result NAMED(cuCtxGetDevice, hipGetDevice)(int* device) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *device = 0;
  return depth() > 0 ? success : invalid_context;
}

STAND_IN Result NAMED(cuDriverGetVersion, hipRuntimeGetVersion)(int* version) {
  *version = NAMED(12000, 60000000);
  return success;
}

STAND_IN Result NAMED(cuDeviceGetAttribute, hipDeviceGetAttribute)(int* answer, int attribute, int) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (attribute != 75 && attribute != 76) return invalid_value;
  *answer = attribute == 75 ? 9 : 0;  // compute capability
  return success;
}

// The image is the path of a library.
STAND_IN Result NAMED(cuModuleLoadData, hipModuleLoadData)(void** module, const void* image) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  *module = dlopen(static_cast<const char*>(image), RTLD_NOW | RTLD_LOCAL);
  return *module != nullptr ? success : invalid_value;
}

STAND_IN Result NAMED(cuModuleGetFunction, hipModuleGetFunction)(void** function, void* module, const char* name) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  Kernel kernel;
  const std::string words(name);
  kernel.argument_bytes = reinterpret_cast<std::size_t (*)()>(dlsym(module, ("bytes_" + words).c_str()));
  kernel.run = reinterpret_cast<void (*)(const void*, unsigned, unsigned)>(dlsym(module, ("run_" + words).c_str()));
  if (kernel.argument_bytes == nullptr || kernel.run == nullptr) return invalid_value;
  *function = &kernels.emplace_back(kernel);
  return success;
}

STAND_IN Result NAMED(cuLaunchKernel, hipModuleLaunchKernel)(void* function, unsigned x, unsigned y, unsigned z,
                                                             unsigned threads_x, unsigned threads_y, unsigned threads_z,
                                                             unsigned shared_bytes, void* stream, void** arguments,
                                                             void** extra) {
  const std::lock_guard lock(mutex);
  if (fails()) return failing_result;
  if (depth() == 0) return invalid_context;
  const auto* const kernel = static_cast<Kernel*>(function);
  if (x == 0 || y != 1 || z != 1 || threads_x == 0 || threads_x > 1024 || threads_y != 1 || threads_z != 1 ||
      shared_bytes != 0 || extra != nullptr) {
    return invalid_value;
  }
  ++counts.launches;
  const auto* const argument = static_cast<const std::byte*>(arguments[0]);
  const auto run = [kernel, x, threads_x, copy = std::vector(argument, argument + kernel->argument_bytes())] {
    let_touch(true);
    kernel->run(copy.data(), x, threads_x);
    let_touch(false);
  };
  if (stream == nullptr) {
    run();
  } else {
    static_cast<Stream*>(stream)->begun.push_back(run);
  }
  return success;
}

STAND_IN Result NAMED(cuGetErrorName, hipDrvGetErrorName)(Result result, const char** name) {
  *name = result == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_ILLEGAL_ADDRESS";
  return success;
}

STAND_IN Result NAMED(cuGetErrorString, hipDrvGetErrorString)(Result result, const char** words) {
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

STAND_IN void lq_stand_in_reset() {
  const std::lock_guard lock(mutex);
  ++context_number;
  for (const auto& [address, memory] : memories) {
    munmap(reinterpret_cast<void*>(address), memory.bytes);
    munmap(memory.behind, memory.bytes);
  }
  for (const auto& [memory, bytes] : locked) ::operator delete(memory);
  for (Stream* stream : streams) delete stream;
  for (Event* event : events) delete event;
  memories.clear();
  locked.clear();
  streams.clear();
  events.clear();
  counts.held = 0;
}

STAND_IN void lq_stand_in_begun(int on) {
  const std::lock_guard lock(mutex);
  has_begun = on != 0;
}

STAND_IN void lq_stand_in_pool(int on) {
  const std::lock_guard lock(mutex);
  belongs_to_no_context = on != 0;
}
