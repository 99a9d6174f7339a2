// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// libnvrtc.so.12 as far as we use it, by the compiler of the host: kernels become functions that cuda_stand_in.cpp runs
// one thread after the other. With LQ_STAND_IN_HIP, libhiprtc.so.6. What was compiled once is kept in a folder of the
// build, by a hash of its source.
#include <unistd.h>

#include "support/cuda_stand_in.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <regex>
#include <sstream>
#include <string>

#ifdef LQ_STAND_IN_HIP
#define NAMED(cuda, hip) hip
#else
#define NAMED(cuda, hip) cuda
#endif
#define STAND_IN extern "C" __attribute__((visibility("default")))

namespace {

using Result = int;
constexpr char refusal[] = "limequat(7): error: no such kernel\n1 error\n";
constexpr Result success = 0, invalid_input = 3, compilation = 6;

struct Program {
  std::string source, library;
};

std::mutex mutex;
bool refuses = false;
int compilations = 0;

const char* const prelude = R"(
#define __global__
#define __device__
struct Index { unsigned x; };
static Index blockIdx, threadIdx, blockDim, gridDim;
template <class Argument>
static unsigned long bytes_of_argument(void (*)(Argument)) { return sizeof(Argument); }
template <class Argument>
static void run_all(void (*kernel)(Argument), const void* argument, unsigned blocks, unsigned threads) {
  gridDim.x = blocks;
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel(*static_cast<const Argument*>(argument));
  }
}
)";

// What the driver asks of each kernel.
std::string callers(const std::string& source) {
  const std::regex kernel("__global__ void ([A-Za-z0-9_]+)");
  std::ostringstream text;
  for (auto it = std::sregex_iterator(source.begin(), source.end(), kernel); it != std::sregex_iterator(); ++it) {
    const std::string name = (*it)[1];
    text << "extern \"C\" unsigned long bytes_" << name << "() { return bytes_of_argument(" << name << "); }\n"
         << "extern \"C\" void run_" << name << "(const void* argument, unsigned blocks, unsigned threads) {\n"
         << "  run_all(" << name << ", argument, blocks, threads);\n}\n";
  }
  return text.str();
}

// Several processes may do so at once; empty: it does not compile.
std::string library_of(const std::string& source) {
  const std::string whole = prelude + source + callers(source);
  const std::string stem = LQ_STAND_IN_FOLDER "/kernels-" + std::to_string(std::hash<std::string>()(whole));
  const std::string library = stem + ".so", own = stem + "-" + std::to_string(getpid());
  if (std::filesystem::exists(library)) return library;
  std::ofstream(own + ".cpp") << whole;
  const std::string command =
      LQ_STAND_IN_COMPILER " -std=c++17 -O1 -fPIC -shared -ffp-contract=off -fno-strict-aliasing -Wl,-Bsymbolic -o " +
      own + ".so " + own + ".cpp";
  const bool is_made = std::system(command.c_str()) == 0;
  if (is_made) std::filesystem::rename(own + ".so", library);
  std::filesystem::remove(own + ".cpp");
  return is_made ? library : "";
}

// The name of a GPU that is there, or none: for any.
bool takes(const std::string& option) {
#ifdef LQ_STAND_IN_HIP
  return option == "-ffp-contract=off";
#else
  return option == "--fmad=false" || option == "--gpu-architecture=sm_90";
#endif
}

}  // namespace

STAND_IN Result NAMED(nvrtcCreateProgram, hiprtcCreateProgram)(void** program, const char* source, const char*,
                                                               int headers, const char* const*, const char* const*) {
  if (source == nullptr || headers != 0) return invalid_input;
  *program = new Program{source, ""};
  return success;
}

STAND_IN Result NAMED(nvrtcCompileProgram, hiprtcCompileProgram)(void* program, int count, const char* const* options) {
  const std::lock_guard lock(mutex);
  ++compilations;
  for (int i = 0; i < count; ++i) {
    if (!takes(options[i])) return invalid_input;
  }
  auto& made = *static_cast<Program*>(program);
  if (!refuses) made.library = library_of(made.source);
  return made.library.empty() ? compilation : success;
}

STAND_IN Result NAMED(nvrtcDestroyProgram, hiprtcDestroyProgram)(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return success;
}

STAND_IN Result NAMED(nvrtcGetCUBINSize, hiprtcGetCodeSize)(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->library.size() + 1;
  return success;
}

STAND_IN Result NAMED(nvrtcGetCUBIN, hiprtcGetCode)(void* program, char* code) {
  std::strcpy(code, static_cast<Program*>(program)->library.c_str());
  return success;
}

// What a compiler that refuses says.
STAND_IN Result NAMED(nvrtcGetProgramLogSize, hiprtcGetProgramLogSize)(void*, std::size_t* bytes) {
  *bytes = sizeof refusal;
  return success;
}
STAND_IN Result NAMED(nvrtcGetProgramLog, hiprtcGetProgramLog)(void*, char* log) {
  std::memcpy(log, refusal, sizeof refusal);
  return success;
}

#ifndef LQ_STAND_IN_HIP
STAND_IN Result nvrtcGetPTXSize(void* program, std::size_t* bytes) { return nvrtcGetCUBINSize(program, bytes); }
STAND_IN Result nvrtcGetPTX(void* program, char* code) { return nvrtcGetCUBIN(program, code); }
#endif

// Tests: from now on nothing compiles, or all does; how often somebody tried.
STAND_IN void lq_stand_in_refuse(int on) {
  const std::lock_guard lock(mutex);
  refuses = on != 0;
}
STAND_IN int lq_stand_in_compilations() {
  const std::lock_guard lock(mutex);
  return compilations;
}
