// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a GPU for tests: of the stand-in for CUDA's driver, or of the library that LQ_TEST_CUDA names.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/cuda_stand_in.hpp"

namespace lq::testing {

class CudaLibrary {
 public:
  static const CudaLibrary& get() {
    static const CudaLibrary library;
    return library;
  }

  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(handle_, name));
  }
  // Whether it can be told to fail.
  bool is_stand_in() const { return find<decltype(lq_stand_in_counts)>("lq_stand_in_counts") != nullptr; }
  LqStandInCounts counts() const { return find<decltype(lq_stand_in_counts)>("lq_stand_in_counts")(); }
  void fail(std::uint64_t call, int result) const {
    find<decltype(lq_stand_in_fail)>("lq_stand_in_fail")(call, result);
  }
  void begun(bool on) const { find<decltype(lq_stand_in_begun)>("lq_stand_in_begun")(on ? 1 : 0); }
  void pool(bool on) const { find<decltype(lq_stand_in_pool)>("lq_stand_in_pool")(on ? 1 : 0); }

  static void require(int result, const char* call) {
    if (result != 0) throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
  }

 private:
  CudaLibrary() {
    const char* const named = std::getenv("LQ_TEST_CUDA");
    const std::string path = named != nullptr ? named : LQ_CUDA_STAND_IN;
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error("no " + path + ": " + ::dlerror());
    require(find<int(unsigned)>("cuInit")(0), "cuInit");
  }

  void* handle_ = nullptr;
};

// The first GPU's own context is the current one of this thread.
inline void enter_context() {
  thread_local void* context = nullptr;
  if (context != nullptr) return;
  const CudaLibrary& library = CudaLibrary::get();
  CudaLibrary::require(library.find<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0),
                       "cuDevicePrimaryCtxRetain");
  CudaLibrary::require(library.find<int(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    enter_context();
    call<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2", &address_, (count > 0 ? count : 1) * sizeof(T));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { put(values); }
  ~DeviceArray() { CudaLibrary::get().find<int(std::uint64_t)>("cuMemFree_v2")(address_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return reinterpret_cast<T*>(address_); }
  std::size_t size() const { return count_; }
  // As many as there are.
  void put(const std::vector<T>& values) const {
    call<int(std::uint64_t, const void*, std::size_t)>("cuMemcpyHtoD_v2", address_, values.data(), count_ * sizeof(T));
  }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    call<int(void*, std::uint64_t, std::size_t)>("cuMemcpyDtoH_v2", result.data(), address_, count_ * sizeof(T));
    return result;
  }

 private:
  template <class Function, class... Arguments>
  static void call(const char* name, Arguments... arguments) {
    CudaLibrary::require(CudaLibrary::get().find<Function>(name)(arguments...), name);
  }

  std::size_t count_;
  std::uint64_t address_ = 0;
};

}  // namespace lq::testing
