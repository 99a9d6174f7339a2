// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The drivers of NVIDIA's and AMD's GPUs, identical except for names and some numbers, found at run time.
#include "device/driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/system.hpp"

namespace lq::device {
namespace {

// Lets the kernel read a byte there: it returns an error where we would crash.
bool can_be_read(const void* memory) noexcept {
  char byte = 0;
  const iovec here{&byte, 1}, there{const_cast<void*>(memory), 1};
  return base::read_memory_of(::getpid(), here, {&there, 1}) == 1 || errno != EFAULT;
}

}  // namespace

const Driver* driver_of(const void* memory, DeviceContext& context) {
  if (memory == nullptr) return nullptr;
  const Driver* asked = nullptr;
  for (const Kind kind : {Kind::cuda, Kind::hip}) {
    const Driver* const driver = driver_of_kind(kind);
    if (driver == nullptr) continue;
    if (driver->owns(memory, context)) return driver;
    asked = driver;
  }
  if (asked == nullptr || can_be_read(memory)) return nullptr;
  throw Error(
      Code::invalid_argument,
      fmt::format("the memory of the field at {} is neither host memory nor known to the {} driver; it may have been "
                  "freed, or belong to another process: keep the memory allocated until the transfer ends",
                  fmt::ptr(memory), asked->name()));
}

bool has_driver() { return driver_of_kind(Kind::cuda) != nullptr || driver_of_kind(Kind::hip) != nullptr; }

bool is_device_memory(const void* memory) {
  DeviceContext context;
  return driver_of(memory, context) != nullptr;
}

// The drivers of NVIDIA's and AMD's GPUs, identical except for names and some numbers.

// The calls of a driver that are used, with their names in both: CUDA's driver API, whose numbers, structures and
// versioned names are fixed since CUDA 4.0 (CUDA Driver API reference), and HIP, which has the same functions (HIP API
// reference: Driver API porting).

using Result = int;
using Address = std::uint64_t;  // CUdeviceptr, hipDeviceptr_t

// CUDA_MEMCPY2D, hip_Memcpy2D.
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

template <class... Arguments>
struct Call {
  const char *cuda, *hip;
  Result (*function)(Arguments...) = nullptr;

  // True if the library has it.
  bool find(void* library, Kind kind) {
    function = reinterpret_cast<Result (*)(Arguments...)>(::dlsym(library, kind == Kind::cuda ? cuda : hip));
    return function != nullptr;
  }
  // The name without version.
  std::string_view name(Kind kind) const noexcept {
    std::string_view words = kind == Kind::cuda ? cuda : hip;
    if (words.ends_with("_v2")) words.remove_suffix(3);
    return words;
  }
};

struct Calls {
  Call<void*, int, Address> pointer_attribute{"cuPointerGetAttribute", "hipPointerGetAttribute"};
  Call<int*, int> device{"cuDeviceGet", "hipDeviceGet"};
  Call<int*> current_device{"cuCtxGetDevice", "hipGetDevice"};
  Call<int*, int, int> device_attribute{"cuDeviceGetAttribute", "hipDeviceGetAttribute"};
  Call<int*> version{"cuDriverGetVersion", "hipRuntimeGetVersion"};
  Call<void**, int> context_of_device{"cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain"};
  Call<void*> push{"cuCtxPushCurrent_v2", "hipCtxPushCurrent"};
  Call<void**> pop{"cuCtxPopCurrent_v2", "hipCtxPopCurrent"};
  Call<> wait_for_all{"cuCtxSynchronize", "hipDeviceSynchronize"};
  Call<Address*, std::size_t> allocate{"cuMemAlloc_v2", "hipMalloc"};
  Call<Address> free{"cuMemFree_v2", "hipFree"};
  Call<void**, std::size_t, unsigned> allocate_locked{"cuMemHostAlloc", "hipHostMalloc"};
  Call<void*> free_locked{"cuMemFreeHost", "hipHostFree"};
  Call<void**, unsigned> make_stream{"cuStreamCreate", "hipStreamCreateWithFlags"};
  Call<void*> wait_for_stream{"cuStreamSynchronize", "hipStreamSynchronize"};
  Call<void*> destroy_stream{"cuStreamDestroy_v2", "hipStreamDestroy"};
  Call<void**, unsigned> make_event{"cuEventCreate", "hipEventCreateWithFlags"};
  Call<void*> destroy_event{"cuEventDestroy_v2", "hipEventDestroy"};
  Call<void*, void*> record{"cuEventRecord", "hipEventRecord"};
  Call<void*> wait{"cuEventSynchronize", "hipEventSynchronize"};
  Call<void*, Address, std::size_t, void*> to_host{"cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync"};
  Call<Address, const void*, std::size_t, void*> to_device{"cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync"};
  Call<const void*, void*> copy_rows{"cuMemcpy2DAsync_v2", "hipMemcpyParam2DAsync"};  // a Copy2D
  Call<void**, const void*> load_module{"cuModuleLoadData", "hipModuleLoadData"};
  Call<void**, void*, const char*> find_function{"cuModuleGetFunction", "hipModuleGetFunction"};
  Call<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**> launch{
      "cuLaunchKernel", "hipModuleLaunchKernel"};
  Call<void*, unsigned long long*> context_number{"cuCtxGetId", "hipCtxGetId"};  // of CUDA alone, since 12.0
  Call<Result, const char**> error_name{"cuGetErrorName", "hipDrvGetErrorName"};
  Call<Result, const char**> error_words{"cuGetErrorString", "hipDrvGetErrorString"};

  // True if the library has all of them, except for those that some versions lack.
  bool find(void* library, Kind kind) {
    context_number.find(library, kind);
    return find_all(library, kind, pointer_attribute, device, current_device, device_attribute, version,
                    context_of_device, push, pop, wait_for_all, allocate, free, allocate_locked, free_locked,
                    make_stream, wait_for_stream, destroy_stream, make_event, destroy_event, record, wait, to_host,
                    to_device, copy_rows, load_module, find_function, launch, error_name, error_words);
  }

 private:
  template <class... SomeCalls>
  static bool find_all(void* library, Kind kind, SomeCalls&... calls) {
    return (calls.find(library, kind) && ...);
  }
};

namespace {

constexpr Result success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3;
constexpr int attribute_context = 1, attribute_memory_type = 2, attribute_device_ordinal = 9;  // attributes of pointers
constexpr int attribute_major = 75, attribute_minor = 76;  // of CUDA's devices: compute capability
constexpr unsigned locked_in_all_contexts = 1, apart_from_the_default_stream = 1, without_times = 2;

// CUmemorytype; hipMemoryType, which had other values before ROCm 6. Managed memory is the device's in CUDA.
struct MemoryTypes {
  int host = 1, device = 2, managed = 2;
};

MemoryTypes types_of(Kind kind, int version) {
  if (kind == Kind::cuda) return {};
  constexpr int rocm6 = 60000000;
  return version >= rocm6 ? MemoryTypes{1, 2, 3} : MemoryTypes{0, 1, 4};
}

class Gpu final : public Driver {
 public:
  Gpu(Kind kind, const Calls& calls) : kind_(kind), calls_(calls) {
    int version = 0;
    if (calls_.version.function(&version) == success) types_ = types_of(kind, version);
  }

  std::string_view name() const noexcept override { return kind_ == Kind::cuda ? "CUDA" : "HIP"; }
  Kind kind() const noexcept override { return kind_; }

  bool owns(const void* memory, DeviceContext& context) const override {
    int type = types_.host;
    if (!ask(memory, attribute_memory_type, &type, "memory type")) return false;
    if (type != types_.device && type != types_.managed) return false;
    // Memory of a pool belongs to a device and to no context, and HIP knows no others.
    if (kind_ == Kind::cuda && ask(memory, attribute_context, &context.handle, "context") &&
        context.handle != nullptr) {
      context.number = number_of(context);
      return true;
    }
    int ordinal = 0, device = 0;
    if (!ask(memory, attribute_device_ordinal, &ordinal, "device")) return false;
    run(calls_.device, &device, ordinal);
    // Never released: the program that owns the memory uses the same context, and memory of a released context is gone.
    run(calls_.context_of_device, &context.handle, device);
    context.number = number_of(context);
    return true;
  }

  void enter(DeviceContext context) const override { run(calls_.push, context.handle); }
  void leave() const noexcept override {
    void* left = nullptr;
    static_cast<void>(calls_.pop.function(&left));
  }
  void wait_for_all() const override { run(calls_.wait_for_all); }

  std::byte* allocate(std::size_t bytes) const override {
    Address memory = 0;
    run(calls_.allocate, &memory, bytes);
    return reinterpret_cast<std::byte*>(memory);
  }
  void free(std::byte* memory) const noexcept override {
    static_cast<void>(calls_.free.function(reinterpret_cast<Address>(memory)));
  }
  std::byte* allocate_locked(std::size_t bytes) const override {
    void* memory = nullptr;
    run(calls_.allocate_locked, &memory, bytes, locked_in_all_contexts);
    return static_cast<std::byte*>(memory);
  }
  void free_locked(std::byte* memory) const noexcept override {
    static_cast<void>(calls_.free_locked.function(memory));
  }

  Handle make_stream() const override {
    Handle stream = nullptr;
    run(calls_.make_stream, &stream, apart_from_the_default_stream);
    return stream;
  }
  void wait_for_stream(Handle stream) const override { run(calls_.wait_for_stream, stream); }
  void destroy_stream(Handle stream) const noexcept override {
    static_cast<void>(calls_.destroy_stream.function(stream));
  }
  Handle make_event() const override {
    Handle event = nullptr;
    run(calls_.make_event, &event, without_times);
    return event;
  }
  void destroy_event(Handle event) const noexcept override { static_cast<void>(calls_.destroy_event.function(event)); }
  void record(Handle event, Handle stream) const override { run(calls_.record, event, stream); }
  void wait(Handle event) const override { run(calls_.wait, event); }

  void copy(Direction direction, const Rows& rows, std::byte* host, Handle stream) const override {
    // Drivers accept strides up to about this limit.
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

  int architecture() const override {
    if (kind_ == Kind::hip) return 0;
    int device = 0, major = 0, minor = 0;
    run(calls_.current_device, &device);
    run(calls_.device_attribute, &major, attribute_major, device);
    run(calls_.device_attribute, &minor, attribute_minor, device);
    return 10 * major + minor;
  }
  Handle load_module(const void* image) const override {
    Handle module = nullptr;
    run(calls_.load_module, &module, image);
    return module;
  }
  Handle find_function(Handle module, const char* name) const override {
    Handle function = nullptr;
    run(calls_.find_function, &function, module, name);
    return function;
  }
  void launch(Handle function, unsigned blocks, unsigned threads, void* arguments, Handle stream) const override {
    void* pointers[] = {arguments};
    run(calls_.launch, function, blocks, 1U, 1U, threads, 1U, 1U, 0U, stream, static_cast<void**>(pointers), nullptr);
  }

 private:
  template <class... Expected, class... Given>
  void run(const Call<Expected...>& call, Given... given) const {
    check(call.function(given...), call.name(kind_));
  }

  // False if the driver does not know the memory, or any: MPI libraries load drivers into programs that do not use a
  // GPU.
  bool ask(const void* memory, int attribute, void* answer, const char* what) const {
    const Result result = calls_.pointer_attribute.function(answer, attribute, reinterpret_cast<Address>(memory));
    if (result == invalid_value || result == not_initialized) return false;
    check(result, calls_.pointer_attribute.name(kind_), what);
    return true;
  }

  std::uint64_t number_of(DeviceContext context) const {
    unsigned long long number = 0;
    if (calls_.context_number.function != nullptr) run(calls_.context_number, context.handle, &number);
    return number;
  }

  void copy_dense(Direction direction, std::byte* device, std::byte* host, std::size_t bytes, Handle stream) const {
    const auto address = reinterpret_cast<Address>(device);
    if (direction == Direction::to_host) {
      run(calls_.to_host, host, address, bytes, stream);
    } else {
      run(calls_.to_device, address, host, bytes, stream);
    }
  }

  void copy_2d(Direction direction, const Rows& rows, std::byte* host, Handle stream) const {
    Copy2D copy;
    Copy2D::Side& device_side = direction == Direction::to_host ? copy.from : copy.to;
    Copy2D::Side& host_side = direction == Direction::to_host ? copy.to : copy.from;
    device_side.memory_type = types_.device;
    device_side.device = reinterpret_cast<Address>(rows.first);
    device_side.pitch = static_cast<std::size_t>(rows.stride);
    host_side.memory_type = types_.host;
    host_side.host = host;
    host_side.pitch = rows.row_bytes;
    copy.width = rows.row_bytes;
    copy.height = rows.count;
    run(calls_.copy_rows, &copy, stream);
  }

  void check(Result result, std::string_view call, std::string_view detail = "") const {
    if (result == success) return;
    throw Error(result == out_of_memory ? Code::out_of_memory : Code::io,
                fmt::format("memory of a GPU: {} of the {} driver{}{} failed with {} ({}); the field must stay in "
                            "place until the transfer ends, and the GPU must be free of earlier errors",
                            call, name(), detail.empty() ? "" : ", asked for the ", detail,
                            text(calls_.error_name.function, result), text(calls_.error_words.function, result)));
  }

  static std::string text(Result (*ask)(Result, const char**), Result result) {
    const char* words = nullptr;
    if (ask(result, &words) != success || words == nullptr) return fmt::format("error {}", result);
    return words;
  }

  Kind kind_;
  Calls calls_;
  MemoryTypes types_;
};

// The names of the library in its versions.
template <Kind kind>
constexpr auto library_names() {
  if constexpr (kind == Kind::cuda)
    return std::to_array({"libcuda.so.1"});
  else
    return std::to_array({"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"});
}

// Only if it is loaded: the library stays in this program, so the handle is never closed.
template <Kind kind>
const Driver* find_driver() {
  void* library = nullptr;
  for (const char* name : library_names<kind>()) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  }
  Calls calls;
  if (library == nullptr || !calls.find(library, kind)) return nullptr;
  static const Gpu gpu(kind, calls);
  return &gpu;
}

// A program may load its driver after its first transfer: the search is repeated when more libraries have been loaded.
template <Kind kind>
const Driver* driver_in_program() {
  static std::atomic<const Driver*> found = nullptr;
  static std::atomic<unsigned long long> searched_among = 0;
  const Driver* driver = found.load(std::memory_order_acquire);
  if (driver != nullptr) return driver;
  const unsigned long long loaded = base::libraries_loaded();
  // Another thread may have found it in the meantime.
  if (searched_among.load(std::memory_order_acquire) == loaded) return found.load(std::memory_order_acquire);
  driver = find_driver<kind>();
  if (driver != nullptr) found.store(driver, std::memory_order_release);
  searched_among.store(loaded, std::memory_order_release);
  return driver;
}

}  // namespace

const Driver* driver_of_kind(Kind kind) {
  return kind == Kind::cuda ? driver_in_program<Kind::cuda>() : driver_in_program<Kind::hip>();
}

}  // namespace lq::device
