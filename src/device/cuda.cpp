// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The CUDA driver API, whose numbers, structures and names with a version are fixed since CUDA 4.0 (CUDA Driver API
// reference: Unified Addressing, Memory Management, Stream Management, Event Management).
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "device/driver.hpp"

namespace lq::device {
namespace {

using Result = int;
using Address = std::uint64_t;  // CUdeviceptr

constexpr Result success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3;
constexpr int memory_of_device = 2, memory_of_host = 1;                                        // CUmemorytype
constexpr int attribute_context = 1, attribute_memory_type = 2, attribute_device_ordinal = 9;  // of pointers
constexpr unsigned locked_in_all_contexts = 1, apart_from_the_default_stream = 1, without_times = 2;

// CUDA_MEMCPY2D.
struct Copy2D {
  struct Side {
    std::size_t x = 0, y = 0;
    int memory_type = 0;
    void* host = nullptr;
    Address device = 0;
    void* array = nullptr;
    std::size_t pitch = 0;
  };
  Side from, to;
  std::size_t width = 0, height = 0;
};

struct Functions {
  Result (*cuPointerGetAttribute)(void*, int, Address) = nullptr;
  Result (*cuDeviceGet)(int*, int) = nullptr;
  Result (*cuDevicePrimaryCtxRetain)(void**, int) = nullptr;
  Result (*cuCtxPushCurrent)(void*) = nullptr;
  Result (*cuCtxPopCurrent)(void**) = nullptr;
  Result (*cuCtxSynchronize)() = nullptr;
  Result (*cuMemHostAlloc)(void**, std::size_t, unsigned) = nullptr;
  Result (*cuMemFreeHost)(void*) = nullptr;
  Result (*cuStreamCreate)(void**, unsigned) = nullptr;
  Result (*cuStreamSynchronize)(void*) = nullptr;
  Result (*cuStreamDestroy)(void*) = nullptr;
  Result (*cuEventCreate)(void**, unsigned) = nullptr;
  Result (*cuEventDestroy)(void*) = nullptr;
  Result (*cuEventRecord)(void*, void*) = nullptr;
  Result (*cuEventSynchronize)(void*) = nullptr;
  Result (*cuMemcpyDtoHAsync)(void*, Address, std::size_t, void*) = nullptr;
  Result (*cuMemcpyHtoDAsync)(Address, const void*, std::size_t, void*) = nullptr;
  Result (*cuMemcpy2DAsync)(const void*, void*) = nullptr;  // a Copy2D
  Result (*cuGetErrorName)(Result, const char**) = nullptr;
  Result (*cuGetErrorString)(Result, const char**) = nullptr;

  // Whether the library has all of them.
  bool load(void* library) {
    return find(library, "cuPointerGetAttribute", cuPointerGetAttribute) && find(library, "cuDeviceGet", cuDeviceGet) &&
           find(library, "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain) &&
           find(library, "cuCtxPushCurrent_v2", cuCtxPushCurrent) &&
           find(library, "cuCtxPopCurrent_v2", cuCtxPopCurrent) &&
           find(library, "cuCtxSynchronize", cuCtxSynchronize) && find(library, "cuMemHostAlloc", cuMemHostAlloc) &&
           find(library, "cuMemFreeHost", cuMemFreeHost) && find(library, "cuStreamCreate", cuStreamCreate) &&
           find(library, "cuStreamSynchronize", cuStreamSynchronize) &&
           find(library, "cuStreamDestroy_v2", cuStreamDestroy) && find(library, "cuEventCreate", cuEventCreate) &&
           find(library, "cuEventDestroy_v2", cuEventDestroy) && find(library, "cuEventRecord", cuEventRecord) &&
           find(library, "cuEventSynchronize", cuEventSynchronize) &&
           find(library, "cuMemcpyDtoHAsync_v2", cuMemcpyDtoHAsync) &&
           find(library, "cuMemcpyHtoDAsync_v2", cuMemcpyHtoDAsync) &&
           find(library, "cuMemcpy2DAsync_v2", cuMemcpy2DAsync) && find(library, "cuGetErrorName", cuGetErrorName) &&
           find(library, "cuGetErrorString", cuGetErrorString);
  }

 private:
  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
  }
};

class Cuda final : public Driver {
 public:
  explicit Cuda(const Functions& functions) : cuda_(functions) {}

  std::string_view name() const noexcept override { return "CUDA"; }

  bool owns(const void* memory, Home& home) const override {
    int type = memory_of_host;
    if (!ask(memory, attribute_memory_type, &type, "memory type") || type != memory_of_device) return false;
    // Memory of a pool belongs to a device and to no context.
    if (ask(memory, attribute_context, &home.handle, "context") && home.handle != nullptr) return true;
    int ordinal = 0, device = 0;
    if (!ask(memory, attribute_device_ordinal, &ordinal, "device")) return false;
    check(cuda_.cuDeviceGet(&device, ordinal), "cuDeviceGet");
    // Never released: the program that made the memory uses the same one, and what it has released is gone.
    check(cuda_.cuDevicePrimaryCtxRetain(&home.handle, device), "cuDevicePrimaryCtxRetain");
    return true;
  }

  void enter(Home home) const override { check(cuda_.cuCtxPushCurrent(home.handle), "cuCtxPushCurrent"); }
  void leave() const noexcept override {
    void* left = nullptr;
    static_cast<void>(cuda_.cuCtxPopCurrent(&left));
  }
  void wait_for_all() const override { check(cuda_.cuCtxSynchronize(), "cuCtxSynchronize"); }

  std::byte* allocate_locked(std::size_t bytes) const override {
    void* memory = nullptr;
    check(cuda_.cuMemHostAlloc(&memory, bytes, locked_in_all_contexts), "cuMemHostAlloc");
    return static_cast<std::byte*>(memory);
  }
  void free_locked(std::byte* memory) const noexcept override { static_cast<void>(cuda_.cuMemFreeHost(memory)); }

  Handle make_stream() const override {
    Handle stream = nullptr;
    check(cuda_.cuStreamCreate(&stream, apart_from_the_default_stream), "cuStreamCreate");
    return stream;
  }
  void wait_for_stream(Handle stream) const override {
    check(cuda_.cuStreamSynchronize(stream), "cuStreamSynchronize");
  }
  void destroy_stream(Handle stream) const noexcept override { static_cast<void>(cuda_.cuStreamDestroy(stream)); }
  Handle make_event() const override {
    Handle event = nullptr;
    check(cuda_.cuEventCreate(&event, without_times), "cuEventCreate");
    return event;
  }
  void destroy_event(Handle event) const noexcept override { static_cast<void>(cuda_.cuEventDestroy(event)); }
  void record(Handle event, Handle stream) const override {
    check(cuda_.cuEventRecord(event, stream), "cuEventRecord");
  }
  void wait(Handle event) const override { check(cuda_.cuEventSynchronize(event), "cuEventSynchronize"); }

  void copy(Direction direction, const Rows& rows, std::byte* host, Handle stream) const override {
    // Drivers take strides up to about this.
    constexpr std::ptrdiff_t largest_stride = std::numeric_limits<std::int32_t>::max() / 2;
    if (rows.is_dense()) return copy_dense(direction, rows.first, host, rows.count * rows.row_bytes, stream);
    if (rows.stride > static_cast<std::ptrdiff_t>(rows.row_bytes) && rows.stride <= largest_stride) {
      return copy_2d(direction, rows, host, stream);
    }
    for (std::size_t k = 0; k < rows.count; ++k) {
      copy_dense(direction, rows.first + static_cast<std::ptrdiff_t>(k) * rows.stride, host + k * rows.row_bytes,
                 rows.row_bytes, stream);
    }
  }

 private:
  // False where the driver knows nothing of the memory, or of any: MPI libraries load it into programs that use no GPU.
  bool ask(const void* memory, int attribute, void* answer, const char* what) const {
    const Result result = cuda_.cuPointerGetAttribute(answer, attribute, reinterpret_cast<Address>(memory));
    if (result == invalid_value || result == not_initialized) return false;
    check(result, "cuPointerGetAttribute", what);
    return true;
  }

  void copy_dense(Direction direction, std::byte* device, std::byte* host, std::size_t bytes, Handle stream) const {
    const auto address = reinterpret_cast<Address>(device);
    if (direction == Direction::to_host) {
      check(cuda_.cuMemcpyDtoHAsync(host, address, bytes, stream), "cuMemcpyDtoHAsync");
    } else {
      check(cuda_.cuMemcpyHtoDAsync(address, host, bytes, stream), "cuMemcpyHtoDAsync");
    }
  }

  void copy_2d(Direction direction, const Rows& rows, std::byte* host, Handle stream) const {
    Copy2D copy;
    Copy2D::Side& device_side = direction == Direction::to_host ? copy.from : copy.to;
    Copy2D::Side& host_side = direction == Direction::to_host ? copy.to : copy.from;
    device_side.memory_type = memory_of_device;
    device_side.device = reinterpret_cast<Address>(rows.first);
    device_side.pitch = static_cast<std::size_t>(rows.stride);
    host_side.memory_type = memory_of_host;
    host_side.host = host;
    host_side.pitch = rows.row_bytes;
    copy.width = rows.row_bytes;
    copy.height = rows.count;
    check(cuda_.cuMemcpy2DAsync(&copy, stream), "cuMemcpy2DAsync");
  }

  void check(Result result, std::string_view call, std::string_view detail = "") const {
    if (result == success) return;
    throw Error(
        result == out_of_memory ? Code::out_of_memory : Code::io,
        fmt::format("memory of a GPU: {} of the CUDA driver{}{} failed with {} ({}); the field must stay where it "
                    "is until the transfer ends, and the GPU be free of earlier errors",
                    call, detail.empty() ? "" : ", asked for the ", detail, text(cuda_.cuGetErrorName, result),
                    text(cuda_.cuGetErrorString, result)));
  }

  static std::string text(Result (*ask)(Result, const char**), Result result) {
    const char* words = nullptr;
    if (ask(result, &words) != success || words == nullptr) return fmt::format("error {}", result);
    return words;
  }

  Functions cuda_;
};

const Driver* find_cuda() {
  // Only if it is loaded: the library stays in this program for good, so that the handle is never given back.
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  Functions functions;
  if (library == nullptr || !functions.load(library)) return nullptr;
  static const Cuda cuda(functions);
  return &cuda;
}

}  // namespace

const Driver* cuda_driver() {
  // A program may load its driver after its first transfer.
  static std::atomic<const Driver*> found = nullptr;
  const Driver* driver = found.load(std::memory_order_acquire);
  if (driver == nullptr) {
    driver = find_cuda();
    if (driver != nullptr) found.store(driver, std::memory_order_release);
  }
  return driver;
}

}  // namespace lq::device
