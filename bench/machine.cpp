// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about the machine, from the system.
#include "machine.hpp"

#include <sys/vfs.h>

#include <ctime>
#include <fstream>
#include <limequat/mpi.hpp>
#include <limequat/version.hpp>
#include <thread>

namespace bench {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
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

std::string file_system(const std::string& path) {
  struct statfs about {};
  if (::statfs(path.c_str(), &about) != 0) return "unknown";
  switch (static_cast<unsigned long>(about.f_type)) {
    case 0x01021994:
      return "tmpfs";
    case 0xef53:
      return "ext4";
    case 0x58465342:
      return "xfs";
    case 0x9123683e:
      return "btrfs";
    case 0x794c7630:
      return "overlayfs";
    case 0x6969:
      return "nfs";
    case 0x0bd00bd0:
      return "lustre";
    default:
      return "other";
  }
}

std::string mpi_library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  std::string text(version, static_cast<std::size_t>(length));
  for (char& c : text) c = c == '\t' || c == '"' ? ' ' : c;
  return text.substr(0, text.find_first_of(",\n"));
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

std::string environment_json(const std::string& path, int runs) {
  return "{\"version\": \"" + std::string(lq::version()) + "\", \"compiler\": \"" + compiler() +
         "\", \"processor\": \"" + processor() +
         "\", \"cores\": " + std::to_string(std::thread::hardware_concurrency()) + ", \"mpi\": \"" + mpi_library() +
         "\", \"file_system\": \"" + file_system(path) + "\", \"path\": \"" + path +
         "\", \"runs\": " + std::to_string(runs) + ", \"date\": \"" + today() + "\"}";
}

}  // namespace bench
