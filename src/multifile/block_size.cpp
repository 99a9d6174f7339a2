// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the file system says of its blocks.
#include "multifile/block_size.hpp"

#include <algorithm>

namespace lq::multifile {
namespace {

constexpr std::uint64_t most_block_bytes = 32ULL << 20;
constexpr std::int32_t usual_block_bytes = 2 << 20;
constexpr std::int64_t least_piece_bytes = 1 << 20;

}  // namespace

std::int32_t block_size_of(transport::Transport& transport, const std::string& path) {
  const std::uint64_t bytes = transport.unit(path).bytes;
  return bytes == 0 || bytes > most_block_bytes ? usual_block_bytes : static_cast<std::int32_t>(bytes);
}

CollectorGroup group_of(const std::vector<std::int32_t>& groups, std::int32_t task, std::int32_t tasks,
                        std::int32_t block_size, bool merges) {
  CollectorGroup group;
  group.collector = task;
  group.piece_bytes = merges ? block_size : std::max<std::int64_t>(block_size, least_piece_bytes);
  const auto behind = std::ranges::upper_bound(groups, task);
  if (behind == groups.begin()) return group;
  group.collector = *std::prev(behind);
  group.tasks = (behind == groups.end() ? tasks : *behind) - group.collector;
  return group;
}

}  // namespace lq::multifile
