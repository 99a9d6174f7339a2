// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field written out of the memory of a GPU and read into it, plain and in QUDA's own order, beside the same
// field in memory of the host: in turn, in the same run. On the GPU twice: where it computes what is to be computed
// (reorder, byte order, checksums), and where the host does.
//
//   bench_more gpu FOLDER [LATTICE [ROUNDS [THREADS]]]
//
// The driver is that of CUDA (or the library that LQ_BENCH_CUDA names), found at run time.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "more.hpp"

namespace {

// The calls of the driver that a program makes which computes on a GPU.
class Driver {
 public:
  Driver() {
    const char* const named = std::getenv("LQ_BENCH_CUDA");
    library_ = ::dlopen(named != nullptr ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
    call<int(unsigned)>("cuInit", 0U);
    void* context = nullptr;
    call<int(void**, int)>("cuDevicePrimaryCtxRetain", &context, 0);
    call<int(void*)>("cuCtxSetCurrent", context);
  }
  std::string device() const {
    char name[256] = "(a stand-in)";
    if (const auto ask = find<int(char*, int, int)>("cuDeviceGetName")) ask(name, sizeof name, 0);
    return name;
  }
  double* allocate(std::size_t numbers) const {
    std::uint64_t address = 0;
    call<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2", &address, numbers * sizeof(double));
    return reinterpret_cast<double*>(address);
  }
  void put(double* to, const std::vector<double>& from) const {
    call<int(std::uint64_t, const void*, std::size_t)>("cuMemcpyHtoD_v2", reinterpret_cast<std::uint64_t>(to),
                                                       from.data(), from.size() * sizeof(double));
  }
  std::vector<double> get(const double* from, std::size_t numbers) const {
    std::vector<double> to(numbers);
    call<int(void*, std::uint64_t, std::size_t)>("cuMemcpyDtoH_v2", to.data(), reinterpret_cast<std::uint64_t>(from),
                                                 numbers * sizeof(double));
    return to;
  }

 private:
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }
  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const int result = find<Function>(name)(arguments...);
    if (result != 0) throw std::runtime_error(std::string(name) + " failed with " + std::to_string(result));
  }

  void* library_ = nullptr;
};

// What is measured: the memory of a field, who computes, and how long it took in each round.
struct GpuWay {
  std::string name;
  lq::MutableField field;
  bool gpu_computes = false;
  std::vector<double> writing = {}, reading = {};
};

class GpuBench {
 public:
  GpuBench(const std::string& folder, const lq::Extents& lattice, int rounds, int threads)
      : file_(folder + "/bench_more.ildg"), grid_(lattice), rounds_(rounds) {
    writing_.route.threads = reading_.route.threads = threads;
    writing_.overwrite = true;
    writing_.sync = lq::Sync::none;
    for (std::size_t i = 0; i < numbers().size(); ++i) host_[i] = static_cast<double>(i % 4096) * 0.37 - 700;
    memory_ = driver_.allocate(host_.size());
  }

  void run() {
    std::printf("%s, %s, double, %d rounds, %d threads\n", driver_.device().c_str(),
                lq::to_string(grid_.extents()).c_str(), rounds_, writing_.route.threads);
    for (const char* words : {"", "quda_native"}) compare(words);
  }

 private:
  std::vector<double>& numbers() {
    if (host_.empty()) host_.resize(static_cast<std::size_t>(grid_.local_volume()) * 72);
    return host_;
  }

  lq::MutableField field(double* data, const std::string& words) {
    lq::MutableField field = lq::gauge(std::span<double>(data, host_.size()));
    if (!words.empty()) field.memory = lq::memory_layout(words);
    return field;
  }

  void compare(const std::string& words) {
    std::vector<GpuWay> ways = {{"memory of the host", field(host_.data(), words)},
                                {"GPU, the host computes", field(memory_, words)},
                                {"GPU, it computes", field(memory_, words), true}};
    driver_.put(memory_, host_);
    in_turn(ways, rounds_, [&](GpuWay& way, bool counts) { measure(way, counts); });
    if (driver_.get(memory_, host_.size()) != host_) throw std::runtime_error("what was read is not what was written");
    const double host_write = median(ways[0].writing), host_read = median(ways[0].reading);
    std::printf("%s\n%-24s %10s %8s %10s %8s\n", words.empty() ? "plain" : words.c_str(), "", "write GB/s", "of host",
                "read GB/s", "of host");
    for (const GpuWay& way : ways) {
      const double bytes = static_cast<double>(host_.size()) * sizeof(double);
      std::printf("%-24s %10.2f %8.2f %10.2f %8.2f\n", way.name.c_str(), bytes / median(way.writing) / 1e9,
                  host_write / median(way.writing), bytes / median(way.reading) / 1e9, host_read / median(way.reading));
    }
    std::fflush(stdout);
  }

  void measure(GpuWay& way, bool counts) {
    ::setenv("LQ_DEVICE_PROGRAM", way.gpu_computes ? "on" : "off", 1);
    std::filesystem::remove(file_);
    const double written = seconds_of([&] { lq::write(file_, grid_, way.field, writing_); });
    const double read = seconds_of([&] { lq::read(file_, grid_, way.field, reading_); });
    if (!counts) {
      std::printf("first: %-24s write %.3f s, read %.3f s\n", way.name.c_str(), written, read);
      return;
    }
    way.writing.push_back(written);
    way.reading.push_back(read);
  }

  Driver driver_;
  std::string file_;
  lq::Grid grid_;
  int rounds_;
  lq::WriteOptions writing_;
  lq::ReadOptions reading_;
  std::vector<double> host_;
  double* memory_ = nullptr;  // of the GPU, until the program ends
};

}  // namespace

void measure_gpu(const Words& words, const lq::Communicator& /*ranks*/) {
  GpuBench(words.text(0), lq::parse_extents(words.text(1, "24x24x24x48")), words.number(2, 9), words.number(3, 1))
      .run();
}
