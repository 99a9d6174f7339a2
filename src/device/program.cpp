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
#include <vector>

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
  const Program* of(const Driver& driver, Home home) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const Program>& loaded = loaded_[{&driver, home}];
    if (!loaded) loaded = load(driver, home);
    return loaded.get();
  }

 private:
  std::unique_ptr<const Program> load(const Driver& driver, Home home) try {
    const Inside inside(driver, home);
    const std::vector<char>* const image = image_for(driver.kind(), driver.architecture());
    if (image == nullptr || image->empty()) return nullptr;
    return std::make_unique<const Program>(driver, image->data());
  } catch (const Error&) {  // the host computes
    return nullptr;
  }

  // A compiler that refused once is not asked again; one that is not there may be loaded later.
  const std::vector<char>* image_for(Kind kind, int architecture) {
    const auto known = images_.find({kind, architecture});
    if (known != images_.end()) return &known->second;
    std::optional<std::vector<char>> image = compile(kind, architecture, kernel_source);
    if (!image) return nullptr;
    return &images_.emplace(std::pair(kind, architecture), std::move(*image)).first->second;
  }

  std::mutex mutex_;
  std::map<std::pair<Kind, int>, std::vector<char>> images_;
  std::map<std::pair<const Driver*, Home>, std::unique_ptr<const Program>> loaded_;
};

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

const Program* program_of(const Driver& driver, Home home) {
  static Programs programs;
  return is_wanted() ? programs.of(driver, home) : nullptr;
}

}  // namespace lq::device
