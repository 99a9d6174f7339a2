// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/file_blocks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "device/driver.hpp"

namespace lq::device {

// The run-time compiler for GPUs from a driver's toolkit: NVRTC, hipRTC. The one that the program has loaded is used
// (PyTorch and CuPy bring theirs), else one that the dynamic linker finds.
struct Compiled {
  std::vector<char> code;  // to be loaded as a module; empty if compilation failed
  std::string error;       // the compiler's message then, on one line
};

// Local. For a GPU of that architecture (0: the current one); empty if there is no compiler.
std::optional<Compiled> compile(Kind kind, int architecture, const char* source);

namespace {

using CompilerResult = int;
constexpr CompilerResult compiler_success = 0;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// Functions that return the size of the code, and the code.
struct CodeCalls {
  CompilerResult (*size)(void*, std::size_t*) = nullptr;
  CompilerResult (*code)(void*, char*) = nullptr;
};

struct Compiler {
  CompilerResult (*create)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  CompilerResult (*compile)(void*, int, const char* const*) = nullptr;
  CompilerResult (*destroy)(void**) = nullptr;
  CodeCalls binary;
  CodeCalls assembly;  // for any newer GPU; NVRTC only
  CodeCalls log;       // messages; optional

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

// The newest first. Up to ROCm 5 hipRTC was part of the driver library.
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

// The file system is searched once; libraries that the program loads later are also found. Never closed.
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

// The message on one line.
std::string error_text(const std::vector<char>& log, CompilerResult result) {
  std::string text(log.begin(), std::find(log.begin(), log.end(), '\0'));
  text.erase(std::min(text.size(), text.find_last_not_of(" \n") + 1));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? fmt::format("error {}", result) : text;
}

// Products and sums are not contracted, as on the host.
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
  // The GPU may be newer than the compiler.
  if (compiled.code.empty()) compiled = compile_with(compiler, kind, "", compiler.assembly, source);
  return compiled;
}

namespace {

constexpr std::array names{"pack_sites", "unpack_sites", "crcs_of_sites"};
// There are many numbers and few sites: small blocks distribute the sites over all processors of the GPU.
constexpr unsigned bytes_of_crc_table = 256, for_numbers = 256, for_sites = 32, most_blocks = 2048;

bool is_enabled() {
  const char* const choice = std::getenv("LQ_DEVICE_PROGRAM");
  return choice == nullptr || std::string_view(choice) != "off";
}

// Compiled and loaded programs. Destroyed contexts leave their program behind, a few kilobytes of host memory.
class Programs {
 public:
  const Program* of(const Driver& driver, DeviceContext context) {
    const std::lock_guard lock(mutex_);
    Loaded& loaded = loaded_[{&driver, context}];
    if (!loaded.program) load(loaded, driver, context);
    return loaded.program.get();
  }
  std::string why_none(const Driver& driver, DeviceContext context) {
    const std::lock_guard lock(mutex_);
    return loaded_[{&driver, context}].refusal;
  }

 private:
  struct Loaded {
    std::unique_ptr<const Program> program;
    std::string refusal;  // why there is none
  };

  void load(Loaded& loaded, const Driver& driver, DeviceContext context) try {
    const ContextScope inside(driver, context);
    const Compiled* const compiled = compiled_for(driver.kind(), driver.architecture());
    if (compiled == nullptr) {
      loaded.refusal = "no compiler was found, NVRTC or hipRTC";
    } else if (compiled->code.empty()) {
      loaded.refusal = "compilation failed: " + compiled->error;
    } else {
      loaded.program = std::make_unique<const Program>(driver, compiled->code.data());
    }
  } catch (const Error& error) {  // the host computes instead
    loaded.refusal = error.what();
  }

  // A compilation that failed is not repeated; a missing compiler may be loaded later.
  const Compiled* compiled_for(Kind kind, int architecture) {
    const auto known = compiled_.find({kind, architecture});
    if (known != compiled_.end()) return &known->second;
    std::optional<Compiled> compiled = compile(kind, architecture, kernel_source);
    if (!compiled) return nullptr;
    return &compiled_.emplace(std::pair(kind, architecture), std::move(*compiled)).first->second;
  }

  std::mutex mutex_;
  std::map<std::pair<Kind, int>, Compiled> compiled_;
  std::map<std::pair<const Driver*, DeviceContext>, Loaded> loaded_;
};

Programs& programs() {
  static Programs all;
  return all;
}

}  // namespace

Program::Program(const Driver& driver, const void* image) : driver_(driver) {
  const Driver::Handle module = driver.load_module(image);
  for (std::size_t i = 0; i < names.size(); ++i) functions_[i] = driver.find_function(module, names[i]);
  SiteJob nothing{};
  driver.launch(driver.find_function(module, "make_crc_table"), 1, bytes_of_crc_table, &nothing, nullptr);
  driver.wait_for_all();
}

void Program::launch(Kernel kernel, const SiteJob& job, Driver::Handle stream) const {
  const bool is_of_sites = kernel == Kernel::crc;
  const unsigned threads = is_of_sites ? job.sites : job.sites * job.site_numbers;
  const unsigned in_block = is_of_sites ? for_sites : for_numbers;
  SiteJob copy = job;
  driver_.launch(functions_[static_cast<std::size_t>(kernel)],
                 std::min((threads + in_block - 1) / in_block, most_blocks), in_block, &copy, stream);
}

const Program* program_of(const Driver& driver, DeviceContext context) {
  return is_enabled() ? programs().of(driver, context) : nullptr;
}

std::string why_no_program(const Driver& driver, DeviceContext context) {
  return is_enabled() ? programs().why_none(driver, context) : "the environment has LQ_DEVICE_PROGRAM=off";
}

namespace {

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) noexcept { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

bool FileForm::fits() const noexcept {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  return !numbers.empty() && numbers.size() < most / 16 && groups < most;
}

FileBlocks::FileBlocks(const Driver& driver, DeviceContext context, const Program& program, const FileForm& form,
                       std::size_t most_bytes)
    : driver_(driver),
      context_(context),
      program_(program),
      form_(form),
      most_sites_(std::max<std::uint64_t>(most_bytes / form.site_bytes(), 1)),
      file_at_(aligned(static_cast<std::size_t>(most_sites_) * form.groups * sizeof(std::int64_t))),
      crcs_at_(file_at_ + aligned(static_cast<std::size_t>(most_sites_) * form.site_bytes())),
      end_(crcs_at_ + (form.has_crcs ? static_cast<std::size_t>(most_sites_) * sizeof(std::uint32_t) : 0)) {
  const ContextScope inside(driver_, context_);
  driver_.wait_for_all();
  make();
}

void FileBlocks::make() {
  for (PooledBuffer& block : blocks_) block = PooledBuffer(driver_, context_, end_, end_);
  const std::size_t bytes = form_.numbers.size() * sizeof(NumberPlace);
  numbers_ = PooledBuffer(driver_, context_, bytes, bytes);
  std::memcpy(numbers_.host(), form_.numbers.data(), bytes);
  numbers_.begins();
  driver_.copy(Direction::to_device, {numbers_.gpu(), bytes, 0, 1}, numbers_.host(), numbers_.stream());
  numbers_.has_begun();
  numbers_.wait();
}

SiteJob FileBlocks::job_of(const PooledBuffer& block, const MemorySites& sites) const noexcept {
  SiteJob job{};
  job.numbers = reinterpret_cast<const NumberPlace*>(numbers_.gpu());
  job.places = !sites.places.empty() ? reinterpret_cast<const long long*>(block.gpu()) : nullptr;
  job.first = reinterpret_cast<std::uintptr_t>(sites.first);
  job.stride = sites.stride;
  job.file = reinterpret_cast<unsigned char*>(block.gpu() + file_at_);
  job.crcs = reinterpret_cast<unsigned*>(block.gpu() + crcs_at_);
  job.sites = static_cast<unsigned>(sites.sites);
  job.site_numbers = static_cast<unsigned>(form_.numbers.size());
  job.memory_bytes = form_.memory_bytes;
  job.file_bytes = form_.file_bytes;
  job.swap = form_.swap ? 1 : 0;
  return job;
}

// Returns their size in bytes.
std::size_t FileBlocks::put_places(const PooledBuffer& block, const MemorySites& sites) const {
  if (!sites.places.empty()) std::memcpy(block.host(), sites.places.data(), sites.places.size_bytes());
  return sites.places.size_bytes();
}

void FileBlocks::copy(Direction direction, const PooledBuffer& block, std::size_t begin, std::size_t end) const {
  if (begin < end)
    driver_.copy(direction, {block.gpu() + begin, end - begin, 0, 1}, block.host() + begin, block.stream());
}

template <class Move>
void FileBlocks::begin(std::size_t i, const MemorySites& sites, const Move& move) {
  const ContextScope inside(driver_, context_);
  PooledBuffer& block = blocks_[i];
  block.begins();
  const SiteJob job = job_of(block, sites);
  copy(Direction::to_device, block, 0, put_places(block, sites));
  move(block, job, file_at_ + static_cast<std::size_t>(sites.sites) * site_bytes());
  if (form_.has_crcs) {
    program_.launch(Kernel::crc, job, block.stream());
    copy(Direction::to_host, block, crcs_at_, crcs_at_ + sites.sites * sizeof(std::uint32_t));
  }
  block.has_begun();
}

void FileBlocks::begin_out(std::size_t i, const MemorySites& from) {
  begin(i, from, [this](const PooledBuffer& block, const SiteJob& job, std::size_t file_end) {
    program_.launch(Kernel::pack, job, block.stream());
    copy(Direction::to_host, block, file_at_, file_end);
  });
}

void FileBlocks::begin_in(std::size_t i, const MemorySites& to) {
  begin(i, to, [this](const PooledBuffer& block, const SiteJob& job, std::size_t file_end) {
    copy(Direction::to_device, block, file_at_, file_end);
    program_.launch(Kernel::unpack, job, block.stream());
  });
}

}  // namespace lq::device
