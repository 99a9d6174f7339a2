// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The compiler for GPUs that comes with a driver's toolkit: NVRTC, hipRTC. It is found at run time: the one that the
// program has loaded (PyTorch and CuPy bring theirs), else one that the dynamic linker finds.
#pragma once

#include <optional>
#include <vector>

#include "device/driver.hpp"

namespace lq::device {

// Local. Code for a GPU of that architecture (0: the current one), to be loaded as a module; empty where the compiler
// refuses, nothing where there is none.
std::optional<std::vector<char>> compile(Kind kind, int architecture, const char* source);

}  // namespace lq::device
