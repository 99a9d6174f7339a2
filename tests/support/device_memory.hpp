// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a GPU for tests: of the stand-in for CUDA's driver, with that for NVRTC beside it; of those for HIP, where
// LQ_TEST_HIP is set; or of the library that LQ_TEST_CUDA names, with the compiler that LQ_TEST_NVRTC names or the one
// that is found.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/cuda_stand_in.hpp"

namespace lq::testing {

// The name of a call of the driver, in CUDA and in HIP.
struct CallName {
  const char *cuda, *hip;
};

class DeviceLibrary {
 public:
  static const DeviceLibrary& get() {
    static const DeviceLibrary library;
    return library;
  }

  template <class Function>
  Function* find(const CallName& name) const {
    return find_in<Function>(driver_, is_hip_ ? name.hip : name.cuda);
  }
  const char* driver_name() const { return is_hip_ ? "HIP" : "CUDA"; }
  // Whether it can be told to fail.
  bool is_stand_in() const { return find_in<decltype(lq_stand_in_counts)>(driver_, "lq_stand_in_counts") != nullptr; }
  LqStandInCounts counts() const { return find_in<decltype(lq_stand_in_counts)>(driver_, "lq_stand_in_counts")(); }
  void fail(std::uint64_t call, int result) const {
    find_in<decltype(lq_stand_in_fail)>(driver_, "lq_stand_in_fail")(call, result);
  }
  void pool(bool on) const { find_in<decltype(lq_stand_in_pool)>(driver_, "lq_stand_in_pool")(on ? 1 : 0); }
  void reset() const { find_in<decltype(lq_stand_in_reset)>(driver_, "lq_stand_in_reset")(); }
  // From now on nothing compiles, or all does.
  void refuse(bool on) const { find_in<decltype(lq_stand_in_refuse)>(compiler_, "lq_stand_in_refuse")(on ? 1 : 0); }
  int compilations() const {
    return find_in<decltype(lq_stand_in_compilations)>(compiler_, "lq_stand_in_compilations")();
  }
  void begun(bool on) const { find_in<decltype(lq_stand_in_begun)>(driver_, "lq_stand_in_begun")(on ? 1 : 0); }

  static void require(int result, const char* call) {
    if (result != 0) throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
  }

 private:
  DeviceLibrary() : is_hip_(std::getenv("LQ_TEST_HIP") != nullptr) {
    const char* const named = std::getenv("LQ_TEST_CUDA");
    driver_ = open(named != nullptr ? named : is_hip_ ? LQ_HIP_STAND_IN : LQ_CUDA_STAND_IN);
    const char* const compiler = std::getenv("LQ_TEST_NVRTC");
    if (compiler != nullptr) {
      compiler_ = open(compiler);
    } else if (named == nullptr) {
      compiler_ = open(is_hip_ ? LQ_HIPRTC_STAND_IN : LQ_NVRTC_STAND_IN);
    }
    require(find<int(unsigned)>({"cuInit", "hipInit"})(0), "cuInit");
  }

  static void* open(const std::string& path) {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error("no " + path + ": " + ::dlerror());
    return library;
  }
  template <class Function>
  static Function* find_in(void* library, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
  }

  bool is_hip_;
  void *driver_ = nullptr, *compiler_ = nullptr;
};

// The first GPU's own context is the current one of this thread.
inline void enter_context() {
  thread_local void* context = nullptr;
  if (context != nullptr) return;
  const DeviceLibrary& library = DeviceLibrary::get();
  DeviceLibrary::require(
      library.find<int(void**, int)>({"cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain"})(&context, 0),
      "cuDevicePrimaryCtxRetain");
  DeviceLibrary::require(library.find<int(void*)>({"cuCtxSetCurrent", "hipCtxSetCurrent"})(context), "cuCtxSetCurrent");
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    enter_context();
    call<int(std::uint64_t*, std::size_t)>({"cuMemAlloc_v2", "hipMalloc"}, &address_,
                                           (count > 0 ? count : 1) * sizeof(T));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { put(values); }
  ~DeviceArray() { DeviceLibrary::get().find<int(std::uint64_t)>({"cuMemFree_v2", "hipFree"})(address_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return reinterpret_cast<T*>(address_); }
  std::size_t size() const { return count_; }
  // As many as there are.
  void put(const std::vector<T>& values) const {
    call<int(std::uint64_t, const void*, std::size_t)>({"cuMemcpyHtoD_v2", "hipMemcpyHtoD"}, address_, values.data(),
                                                       count_ * sizeof(T));
  }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    call<int(void*, std::uint64_t, std::size_t)>({"cuMemcpyDtoH_v2", "hipMemcpyDtoH"}, result.data(), address_,
                                                 count_ * sizeof(T));
    return result;
  }

 private:
  template <class Function, class... Arguments>
  static void call(const CallName& name, Arguments... arguments) {
    DeviceLibrary::require(DeviceLibrary::get().find<Function>(name)(arguments...), name.cuda);
  }

  std::size_t count_;
  std::uint64_t address_ = 0;
};

}  // namespace lq::testing
