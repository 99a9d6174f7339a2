// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/driver.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::device {
namespace {

// The kernel is asked to read a byte there: it says no where we would crash.
bool can_be_read(const void* memory) noexcept {
  char byte = 0;
  const iovec here{&byte, 1}, there{const_cast<void*>(memory), 1};
  return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == 1 || errno != EFAULT;
}

}  // namespace

const Driver* driver_of(const void* memory, DeviceContext& home) {
  if (memory == nullptr) return nullptr;
  const Driver* asked = nullptr;
  for (const Kind kind : {Kind::cuda, Kind::hip}) {
    const Driver* const driver = driver_of_kind(kind);
    if (driver == nullptr) continue;
    if (driver->owns(memory, home)) return driver;
    asked = driver;
  }
  if (asked == nullptr || can_be_read(memory)) return nullptr;
  throw Error(
      Code::invalid_argument,
      fmt::format("the memory of the field at {} is neither host memory nor known to the {} driver; it may have been "
                  "freed, or belong to another process: keep the memory allocated until the transfer ends",
                  fmt::ptr(memory), asked->name()));
}

bool has_driver() { return driver_of_kind(Kind::cuda) != nullptr || driver_of_kind(Kind::hip) != nullptr; }

bool is_device_memory(const void* memory) {
  DeviceContext home;
  return driver_of(memory, home) != nullptr;
}

}  // namespace lq::device
