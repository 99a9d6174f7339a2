// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/shape.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"

namespace lq::sets {
namespace {

constexpr std::uint64_t usual_width = 1ULL << 20;
// A chunk is held in memory to be checked before its bytes are handed out; only of streams so long that their table of
// chunks would grow are chunks wider.
constexpr std::uint64_t narrow = 4ULL << 20;
constexpr std::uint64_t chunks_of_long_streams = 1024;
constexpr std::uint64_t largest_width = 64ULL << 20;
constexpr std::uint64_t largest_width_compressed = 16ULL << 20;
constexpr std::uint64_t smallest_block = 512;
constexpr std::uint64_t largest_block = 32ULL << 20;  // that other writers take
constexpr std::int32_t most_local_files = 8;
constexpr std::int32_t ranks_of_shared_file = 4096;

bool leaves_room(std::uint64_t block, std::uint64_t tasks) {
  const std::uint64_t head = format::sion::head_bytes(static_cast<std::int32_t>(tasks));
  return format::sion::round_up(head, block) - head >= record_bytes;
}

}  // namespace

std::int32_t choose_block(std::uint64_t unit_bytes, std::span<const std::uint64_t> tasks_of_files) {
  return roomy_block(std::clamp(unit_bytes, smallest_block, largest_block), tasks_of_files);
}

std::int32_t roomy_block(std::uint64_t wanted, std::span<const std::uint64_t> tasks_of_files) {
  const std::uint64_t unit =
      wanted >= smallest_block ? wanted : format::sion::round_up(smallest_block, std::max<std::uint64_t>(wanted, 1));
  for (std::uint64_t block = unit; block < (1ULL << 31); block += unit) {
    if (std::ranges::all_of(tasks_of_files, [&](std::uint64_t tasks) { return leaves_room(block, tasks); })) {
      return static_cast<std::int32_t>(block);
    }
  }
  throw Error(Code::too_large,
              fmt::format("no block size suits {} files; use fewer physical files", tasks_of_files.size()));
}

std::vector<std::uint64_t> roomy_parts(const std::string& path, std::uint64_t block, std::uint64_t tasks) {
  if (tasks == 0) return {};
  if (leaves_room(block, tasks)) return {tasks};
  for (std::uint64_t few = 1; few < tasks; ++few) {
    if (leaves_room(block, few) && leaves_room(block, tasks - few)) return {tasks - few, few};
  }
  const std::array<std::uint64_t, 1> one{tasks};
  throw Error(Code::unsupported,
              fmt::format("{}: {} new tasks leave no room for a record in blocks of {} bytes; \"lq defrag {} -o NEW "
                          "--block-size {}\" writes a set that they can be added to",
                          path, tasks, block, path, roomy_block(block, one)),
              {.path = path});
}

std::uint64_t choose_width(std::uint64_t expected_bytes, std::uint64_t block_bytes, Compression compression,
                           std::uint64_t frame_bound) {
  const bool plain = compression == Compression::none;
  const std::uint64_t most = plain ? largest_width : largest_width_compressed;
  std::uint64_t wanted = usual_width;
  if (expected_bytes > 0) {
    const std::uint64_t bound = std::clamp(expected_bytes / chunks_of_long_streams, narrow - reserved_bytes, most);
    wanted = std::min(expected_bytes, bound);
  }
  return format::sion::round_up(std::max(wanted, frame_bound) + reserved_bytes, block_bytes);
}

std::int32_t choose_files(bool one_writer, int ranks) {
  if (one_writer) return std::min(ranks, most_local_files);
  return (ranks - 1) / ranks_of_shared_file + 1;
}

std::int32_t file_of_rank(int rank, int ranks, std::int32_t files) {
  return format::sion::share_of_task(rank, ranks, files).file;
}

}  // namespace lq::sets
