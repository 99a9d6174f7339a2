// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of a driver that we use, by their names in both: CUDA's driver API, whose numbers, structures and names
// with a version are fixed since CUDA 4.0 (CUDA Driver API reference), and HIP, which has the same functions (HIP API
// reference: Driver API porting).
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/driver.hpp"

namespace lq::device {

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

  // Whether the library has it.
  bool find(void* library, Kind kind) {
    function = reinterpret_cast<Result (*)(Arguments...)>(::dlsym(library, kind == Kind::cuda ? cuda : hip));
    return function != nullptr;
  }
  // Without a version.
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

  // Whether the library has all of them, except for those that versions lack.
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

}  // namespace lq::device
