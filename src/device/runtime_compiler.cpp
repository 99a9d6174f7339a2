// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// NVRTC (NVRTC documentation: Compilation, since CUDA 11.1) and hipRTC (HIP programming guide: HIP RTC), which have the
// same calls except for those that hand out the code.
#include "device/runtime_compiler.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <string>

#include <fmt/format.h>

namespace lq::device {
namespace {

using CompilerResult = int;
constexpr CompilerResult compiler_success = 0;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// Hands out code: how long it is, and the code.
struct CodeCalls {
  CompilerResult (*size)(void*, std::size_t*) = nullptr;
  CompilerResult (*code)(void*, char*) = nullptr;
};

struct Compiler {
  CompilerResult (*create)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  CompilerResult (*compile)(void*, int, const char* const*) = nullptr;
  CompilerResult (*destroy)(void**) = nullptr;
  CodeCalls binary;
  CodeCalls assembly;  // for any newer GPU; of NVRTC alone
  CodeCalls log;       // what it says; we do without

  bool load(void* library, Kind kind) {
    const bool is_cuda = kind == Kind::cuda;
    find(library, is_cuda ? "nvrtcGetProgramLogSize" : "hiprtcGetProgramLogSize", log.size);
    find(library, is_cuda ? "nvrtcGetProgramLog" : "hiprtcGetProgramLog", log.code);
    if (kind == Kind::cuda) {
      return find(library, "nvrtcCreateProgram", create) && find(library, "nvrtcCompileProgram", compile) &&
             find(library, "nvrtcDestroyProgram", destroy) && find(library, "nvrtcGetCUBINSize", binary.size) &&
             find(library, "nvrtcGetCUBIN", binary.code) && find(library, "nvrtcGetPTXSize", assembly.size) &&
             find(library, "nvrtcGetPTX", assembly.code);
    }
    return find(library, "hiprtcCreateProgram", create) && find(library, "hiprtcCompileProgram", compile) &&
           find(library, "hiprtcDestroyProgram", destroy) && find(library, "hiprtcGetCodeSize", binary.size) &&
           find(library, "hiprtcGetCode", binary.code);
  }
};

// The newest first. Until ROCm 5 hipRTC was in the library of the driver alone.
std::span<const char* const> library_names(Kind kind) {
  static constexpr std::array nvrtc{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.11.1"};
  static constexpr std::array hiprtc{"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libamdhip64.so.5"};
  if (kind == Kind::cuda) return nvrtc;
  return hiprtc;
}

void* open_one(Kind kind, int flags) {
  for (const char* name : library_names(kind)) {
    if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | flags)) return library;
  }
  return nullptr;
}

// The file system is searched once; what the program loads later is found all the same. Never given back.
void* find_library(Kind kind) {
  static std::array<std::atomic<bool>, 2> was_searched{};
  if (void* const library = open_one(kind, RTLD_NOLOAD)) return library;
  if (was_searched[static_cast<std::size_t>(kind)].exchange(true)) return nullptr;
  return open_one(kind, 0);
}

std::vector<char> code_of(void* program, const CodeCalls& calls) {
  std::size_t bytes = 0;
  if (calls.size == nullptr || calls.code == nullptr || calls.size(program, &bytes) != compiler_success) return {};
  std::vector<char> code(bytes);
  if (calls.code(program, code.data()) != compiler_success) code.clear();
  return code;
}

// On one line.
std::string error_text(const std::vector<char>& log, CompilerResult result) {
  std::string text(log.begin(), std::find(log.begin(), log.end(), '\0'));
  text.erase(std::min(text.size(), text.find_last_not_of(" \n") + 1));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? fmt::format("error {}", result) : text;
}

// Products and sums are not contracted: the host's are not.
Compiled compile_with(const Compiler& compiler, Kind kind, const std::string& architecture, const CodeCalls& calls,
                      const char* source) {
  std::vector<const char*> options{kind == Kind::cuda ? "--fmad=false" : "-ffp-contract=off"};
  if (!architecture.empty()) options.push_back(architecture.c_str());
  void* program = nullptr;
  CompilerResult result = compiler.create(&program, source, "limequat", 0, nullptr, nullptr);
  if (result != compiler_success) return {{}, error_text({}, result)};
  Compiled compiled;
  result = compiler.compile(program, static_cast<int>(options.size()), options.data());
  if (result == compiler_success) compiled.code = code_of(program, calls);
  if (compiled.code.empty()) compiled.error = error_text(code_of(program, compiler.log), result);
  static_cast<void>(compiler.destroy(&program));
  return compiled;
}

}  // namespace

std::optional<Compiled> compile(Kind kind, int architecture, const char* source) {
  void* const library = find_library(kind);
  Compiler compiler;
  if (library == nullptr || !compiler.load(library, kind)) return std::nullopt;
  if (architecture == 0) return compile_with(compiler, kind, "", compiler.binary, source);
  const std::string wanted = fmt::format("--gpu-architecture=sm_{}", architecture);
  Compiled compiled = compile_with(compiler, kind, wanted, compiler.binary, source);
  // The GPU may be younger than the compiler.
  if (compiled.code.empty()) compiled = compile_with(compiler, kind, "", compiler.assembly, source);
  return compiled;
}

}  // namespace lq::device
