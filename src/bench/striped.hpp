// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Empty files with given stripes, for programs that cannot ask for any.
#pragma once

#include <cstdint>
#include <string>

#include <limequat/file_system.hpp>
#include <limequat/grid.hpp>

namespace lq::bench {

// Collective. What came of it, the same on all ranks; where stripes cannot be set the file is there without.
Stripes make_striped(const Communicator& ranks, const std::string& path, std::uint64_t count, std::uint64_t bytes);

}  // namespace lq::bench
