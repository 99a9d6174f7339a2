// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Paths as text.
#pragma once

#include <string>

namespace lq::base {

// The folder that holds it: "." for a name alone.
std::string directory_of(const std::string& path);

}  // namespace lq::base
