// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about the machine, from the system.
#include "bench/environment.hpp"

#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <thread>

#include <limequat/file_system.hpp>
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

std::string environment_json(const std::string& mpi, const std::string& directory, int runs) {
  base::JsonWriter json;
  json.begin_object().member("version", version()).member("compiler", compiler()).member("processor", processor());
  json.member("cores", static_cast<std::uint64_t>(std::thread::hardware_concurrency()));
  json.member("system", operating_system()).member("mpi", mpi);
  json.member("file_system", file_system_of(directory).name).member("runs", runs).member("date", today()).end_object();
  return json.take();
}

}  // namespace lq::bench
