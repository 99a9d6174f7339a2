// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a GPU computes of a transfer (site_kernels.cu), compiled once for a process and loaded once for a home.
#pragma once

#include <array>
#include <string>

#include "device/driver.hpp"
#include "device/site_job.h"

namespace lq::device {

enum class Kernel { pack, unpack, crc };

// Shared by threads freely.
class Program {
 public:
  // In the home that it is for. Throws Error as Driver does.
  Program(const Driver& driver, const void* image);

  // Begins on the stream, in the program's home.
  void launch(Kernel kernel, const SiteJob& job, Driver::Handle stream) const;

 private:
  const Driver& driver_;
  std::array<Driver::Handle, 3> functions_{};
};

// Local. Of that home; nullptr where nothing can be compiled for it, or the driver does not take it: there the host
// computes. So it does where the environment has LQ_DEVICE_PROGRAM=off.
const Program* program_of(const Driver& driver, DeviceContext home);
// Local. Why there was none, as far as a sentence says it.
std::string why_no_program(const Driver& driver, DeviceContext home);

}  // namespace lq::device
