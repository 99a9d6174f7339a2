// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <limequat/error.hpp>

#include "device/kernel_source.hpp"
#include "device/runtime_compiler.hpp"

namespace lq::device {
namespace {

constexpr std::array names{"pack_sites", "unpack_sites", "crcs_of_sites"};
// Numbers are many, sites are few: their threads are spread over all processors of the GPU.
constexpr unsigned bytes_of_crc_table = 256, for_numbers = 256, for_sites = 32, most_blocks = 2048;

bool is_wanted() {
  const char* const wish = std::getenv("LQ_DEVICE_PROGRAM");
  return wish == nullptr || std::string_view(wish) != "off";
}

// What was compiled, and loaded. Homes that are gone leave their program behind, a few kilobytes of the host's.
class Programs {
 public:
  const Program* of(const Driver& driver, DeviceContext home) {
    const std::lock_guard lock(mutex_);
    Loaded& loaded = loaded_[{&driver, home}];
    if (!loaded.program) load(loaded, driver, home);
    return loaded.program.get();
  }
  std::string why_none(const Driver& driver, DeviceContext home) {
    const std::lock_guard lock(mutex_);
    return loaded_[{&driver, home}].refusal;
  }

 private:
  struct Loaded {
    std::unique_ptr<const Program> program;
    std::string refusal;  // why it is not there
  };

  void load(Loaded& loaded, const Driver& driver, DeviceContext home) try {
    const ContextScope inside(driver, home);
    const Compiled* const compiled = compiled_for(driver.kind(), driver.architecture());
    if (compiled == nullptr) {
      loaded.refusal = "no compiler was found, NVRTC or hipRTC";
    } else if (compiled->code.empty()) {
      loaded.refusal = "the compiler refused: " + compiled->error;
    } else {
      loaded.program = std::make_unique<const Program>(driver, compiled->code.data());
    }
  } catch (const Error& error) {  // the host computes
    loaded.refusal = error.what();
  }

  // A compiler that refused once is not asked again; one that is not there may be loaded later.
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

const Program* program_of(const Driver& driver, DeviceContext home) {
  return is_wanted() ? programs().of(driver, home) : nullptr;
}

std::string why_no_program(const Driver& driver, DeviceContext home) {
  return is_wanted() ? programs().why_none(driver, home) : "the environment has LQ_DEVICE_PROGRAM=off";
}

}  // namespace lq::device
