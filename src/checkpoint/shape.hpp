// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a new set is cut: blocks of the file system, and widths of chunks, which users never name. Arithmetic only.
#pragma once

#include <cstdint>
#include <span>

#include "checkpoint/stream_writer.hpp"

namespace lq::checkpoint {

// A multiple of the file system's block that leaves room for the set record between metadata block 1 and the first
// chunk, in files of any of these numbers of tasks. too_large: there is none below 2^31.
std::int32_t choose_block(std::uint64_t unit_bytes, std::span<const std::uint64_t> tasks_of_files);

// Of each chunk of a stream: what is expected, up to a limit that keeps the table of chunks and the memory of readers
// small, rounded up to a block.
std::uint64_t choose_width(std::uint64_t expected_bytes, std::uint64_t block_bytes, Compression compression,
                           std::uint64_t frame_bound);

// The physical file of a rank: blocks of ranks, the last of which takes the rest.
std::int32_t file_of_rank(int rank, int ranks, std::int32_t files);

}  // namespace lq::checkpoint
