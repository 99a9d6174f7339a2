// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a new set is cut: blocks of the file system, and widths of chunks, which users never name. Arithmetic only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sets/checkpoint/stream_writer.hpp"

namespace lq::sets {

// A multiple of the file system's block that leaves room for the set record between metadata block 1 and the first
// chunk, in files of any of these numbers of tasks. too_large: there is none below 2^31.
std::int32_t choose_block(std::uint64_t unit_bytes, std::span<const std::uint64_t> tasks_of_files);

// The same without the limits that are good for new files: a multiple of `unit`, or of the least multiple of it that
// has 512 bytes.
std::int32_t roomy_block(std::uint64_t unit, std::span<const std::uint64_t> tasks_of_files);

// How many tasks each further file of the set `path` gets, whose files all have this block size: one file where it has
// room for a record after the tables of its tasks, else two that have. Empty for no tasks. unsupported: no two have.
std::vector<std::uint64_t> roomy_parts(const std::string& path, std::uint64_t block, std::uint64_t tasks);

// Of each chunk of a stream: what is expected, up to a limit that keeps the table of chunks and the memory of readers
// small, rounded up to a block.
std::uint64_t choose_width(std::uint64_t expected_bytes, std::uint64_t block_bytes, Compression compression,
                           std::uint64_t frame_bound);

// The number of physical files where users name none. Where a file has one writer at a time, one per rank and 8 at
// most; else one per 4096 ranks, in the range where the SIONlib paper found the best rates.
std::int32_t choose_files(bool one_writer, int ranks);

// The physical file of a rank: blocks of ranks, the last of which takes the rest.
std::int32_t file_of_rank(int rank, int ranks, std::int32_t files);

}  // namespace lq::sets
