// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about the machine, from the system.
#include "bench/environment.hpp"

#include <sys/utsname.h>
#include <sys/vfs.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>
#include <utility>

#include <limequat/version.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace lq::bench {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return std::string(base::trim(line.substr(line.find(':') + 1)));
  }
  return "unknown";
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return std::string("gcc ") + __VERSION__;
#endif
}

std::string operating_system() {
  utsname about{};
  return ::uname(&about) == 0 ? std::string(about.sysname) + " " + about.release : "unknown";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

std::string file_system_of(const std::string& directory) {
  static constexpr std::array<std::pair<unsigned long, const char*>, 9> known = {{{0x01021994, "tmpfs"},
                                                                                  {0xef53, "ext4"},
                                                                                  {0x58465342, "xfs"},
                                                                                  {0x9123683e, "btrfs"},
                                                                                  {0x794c7630, "overlayfs"},
                                                                                  {0x6969, "nfs"},
                                                                                  {0x0bd00bd0, "lustre"},
                                                                                  {0x47504653, "gpfs"},
                                                                                  {0x19830326, "beegfs"}}};
  struct statfs about {};
  if (::statfs(directory.c_str(), &about) != 0) return "unknown";
  for (const auto& [type, name] : known) {
    if (static_cast<unsigned long>(about.f_type) == type) return name;
  }
  return "other";
}

std::string environment_json(const std::string& mpi, const std::string& directory, int runs) {
  base::JsonWriter json;
  json.begin_object().member("version", version()).member("compiler", compiler()).member("processor", processor());
  json.member("cores", static_cast<std::uint64_t>(std::thread::hardware_concurrency()));
  json.member("system", operating_system()).member("mpi", mpi);
  json.member("file_system", file_system_of(directory)).member("runs", runs).member("date", today()).end_object();
  return json.take();
}

}  // namespace lq::bench
