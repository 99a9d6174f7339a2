// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The compiler for GPUs that comes with a driver's toolkit: NVRTC, hipRTC. It is found at run time: the one that the
// program has loaded (PyTorch and CuPy bring theirs), else one that the dynamic linker finds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/driver.hpp"

namespace lq::device {

struct Compiled {
  std::vector<char> code;  // to be loaded as a module; empty where the compiler refused
  std::string error;       // what it said then, on one line
};

// Local. For a GPU of that architecture (0: the current one); nothing where there is no compiler.
std::optional<Compiled> compile(Kind kind, int architecture, const char* source);

}  // namespace lq::device
