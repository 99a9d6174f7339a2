// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of collective opens: checked here, and the same everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "comm/agree.hpp"
#include "multifile/mode.hpp"

namespace lq::multifile {

// Longest name of a physical file, for it is stored in 1024 bytes.
inline constexpr std::size_t longest_path = 1023;

// Throws Error(invalid_argument): no name, or one that is too long.
void require_path(const std::string& path);

// What must be the same on all ranks; for agree() and require_same().
std::array<comm::Stated, 4> stated_request(const std::string& path, const Mode& mode, std::int32_t block_size,
                                           std::int32_t files);

}  // namespace lq::multifile
