// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the file system does: writing new files and reading them back in pieces of several sizes, by one rank and by
// all, and the small operations around a file.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/comm.hpp"
#include "survey/probing.hpp"
#include "survey/rounds.hpp"

namespace lq::survey {

inline constexpr std::array<std::uint64_t, 6> piece_sizes{4096, 16384, 65536, 262144, 1048576, 4194304};

// "write, 64 KiB", "read, 4 MiB, all ranks"
std::string storage_part_name(std::string_view verb, std::uint64_t piece, bool by_all);

// Collective. Files of at most `bytes` per rank, smaller where the file system is so slow that the measurements would
// take more than `seconds` together. no_space: less is free than twice the largest file.
std::vector<Measurement> storage_parts(comm::Comm& comm, Scratch& scratch, std::uint64_t bytes, double seconds);

}  // namespace lq::survey
