// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Temporary files that an interrupted writer left behind (base/temporary_name.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lq::cli {

// Paths, in order of name; empty where the directory cannot be read.
std::vector<std::string> leftovers_of(const std::string& path);
// Is this itself the name of a temporary file?
bool is_leftover(std::string_view path);

}  // namespace lq::cli
