// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds a component: next to liblimequat, else where the system's loader looks. Its name ensures the same major
// version, and the versions of the symbols it uses ensure the same release.
#include <dlfcn.h>
#include <unistd.h>

#include <limequat/version.hpp>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "format/component.hpp"

namespace lq::loading {
namespace {

std::string file_name(std::string_view component) {
#ifdef __APPLE__
  return fmt::format("liblimequat_{}.{}.dylib", component, LQ_VERSION_MAJOR);
#else
  return fmt::format("liblimequat_{}.so.{}", component, LQ_VERSION_MAJOR);
#endif
}

// The file that this code was loaded from; empty if the system does not report it.
std::string this_library() {
  Dl_info info{};
  static const char here = 0;
  return ::dladdr(&here, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

// The path of a file `name` in the folder of `library`, or of its link target; empty: it is in neither.
std::string beside(const std::string& library, const std::string& name) {
  const std::unique_ptr<char, decltype(&std::free)> meant(::realpath(library.c_str(), nullptr), &std::free);
  for (const std::string& place : {library, std::string(meant ? meant.get() : "")}) {
    const std::size_t folder = place.rfind('/');
    if (folder == std::string::npos) continue;
    std::string path = place.substr(0, folder + 1) + name;
    if (::access(path.c_str(), F_OK) == 0) return path;
  }
  return {};
}

// If another Limequat was loaded first, such as that of a plugin or by LD_PRELOAD, a component is linked to that one.
std::optional<std::string> stranger_of(void* component, const std::string& library) {
  Dl_info info{};
  void* const its_core = ::dlsym(component, "lq_version");
  if (its_core == nullptr || ::dladdr(its_core, &info) == 0 || info.dli_fname == library) return std::nullopt;
  return fmt::format("the process has also loaded {}, and the component is linked to that one: load one Limequat only",
                     info.dli_fname);
}

// A loaded component stays: its formats are in use.
std::optional<std::string> load_component(std::string_view component) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);  // dlerror() reports the last failure
  const std::string name = file_name(component), library = this_library(), path = beside(library, name);
  if (void* const loaded = ::dlopen(path.empty() ? name.c_str() : path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    return stranger_of(loaded, library);
  }
  const char* const why = ::dlerror();
  const std::string reason = why == nullptr ? name : why;
  if (!path.empty()) return fmt::format("the installed one cannot be loaded: {}", reason);
  return fmt::format("it is not in the folder of {}, and the system's loader does not find it: {}", library, reason);
}

[[maybe_unused]] const bool is_set = (format::set_loader(&load_component), true);

}  // namespace
}  // namespace lq::loading
