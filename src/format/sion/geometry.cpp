// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/geometry.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace lq::format::sion {
namespace {

// Offsets are signed in the file.
constexpr std::uint64_t largest_offset = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void too_far(std::string_view what) {
  base::fail(Code::too_large, {}, "{} is beyond byte 2^63 - 1, the limit of a file; choose smaller chunks", what);
}

std::vector<std::uint64_t> starts_of(const Head& head, std::uint64_t first) {
  const auto block = static_cast<std::uint64_t>(head.block_size);
  std::vector<std::uint64_t> starts;
  starts.reserve(head.widths.size() + 1);
  std::uint64_t start = round_up(first, block);
  starts.push_back(start);
  for (const std::int64_t stored : head.widths) {
    std::uint64_t width = static_cast<std::uint64_t>(stored);
    if (head.format_version <= 3) width = round_up(width, block);
    if (width > largest_offset - start) too_far("the end of the first block of chunks");
    starts.push_back(start += width);
  }
  return starts;
}

std::int64_t rounded(std::int64_t bytes, std::int64_t block) {
  return static_cast<std::int64_t>(round_up(static_cast<std::uint64_t>(bytes), static_cast<std::uint64_t>(block)));
}

std::int64_t sum_of(std::span<const std::int64_t> requests) {
  std::int64_t sum = 0;
  for (const std::int64_t request : requests) {
    if (request > std::numeric_limits<std::int64_t>::max() - sum) {
      throw Error(Code::too_large, "the chunks of all tasks add up to more than 2^63 - 1 bytes; choose smaller ones");
    }
    sum += request;
  }
  return sum;
}

void check(std::span<const std::int64_t> requests, std::int64_t block) {
  if (block < 1 || block > std::numeric_limits<std::int32_t>::max()) {
    base::fail(Code::invalid_argument, {.expected = "1 to 2147483647", .found = fmt::format("{}", block)},
               "a block size of {} bytes; choose 1 to 2^31 - 1", block);
  }
  const auto negative = std::ranges::find_if(requests, [](std::int64_t bytes) { return bytes < 0; });
  if (negative == requests.end()) return;
  base::fail(Code::invalid_argument, {.expected = "at least 0", .found = fmt::format("{}", *negative)},
             "task {} requests chunks of {} bytes; choose 0 or more", negative - requests.begin(), *negative);
}

// formats/sion.md 4.2: a block of data for each collector, and not too many of them.
std::int64_t number_of_groups(std::int64_t tasks, std::int64_t blocks, std::int64_t wish) {
  if (wish > 0) return std::max<std::int64_t>(1, std::min((tasks + wish - 1) / wish, blocks));
  struct Most {
    std::int64_t from_tasks, groups;
  };
  constexpr std::array<Most, 4> table{{{512, 32}, {256, 16}, {32, 8}, {16, 4}}};
  std::int64_t groups = std::min(blocks, tasks);
  const auto found = std::ranges::find_if(table, [&](const Most& most) { return tasks >= most.from_tasks; });
  if (found != table.end()) groups = std::min(groups, found->groups);
  return std::max<std::int64_t>(1, groups);
}

// Calls work(first, end) for each group.
template <class Work>
void for_each_group(std::span<const std::int32_t> groups, std::size_t tasks, const Work& work) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t end = g + 1 < groups.size() ? static_cast<std::size_t>(groups[g + 1]) : tasks;
    work(static_cast<std::size_t>(groups[g]), end);
  }
}

}  // namespace

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t block) {
  const std::uint64_t rest = bytes % block;
  const std::uint64_t padding = rest == 0 ? 0 : block - rest;
  if (bytes > largest_offset || padding > largest_offset - bytes) too_far("the end of a chunk");
  return bytes + padding;
}

Geometry::Geometry(const Head& head, const std::string& path) {
  try {
    starts_ = starts_of(head, head_bytes(head.tasks, head.format_version));
    // formats/sion.md 7: only the end of the first chunk of format 2 shows whether it follows the shorter header.
    const auto tail = static_cast<std::uint64_t>(head.tail_offset);
    const auto blocks = static_cast<std::uint64_t>(head.max_chunks);
    if (head.format_version == 2 && head.is_closed() && tail != tail_offset(blocks)) {
      starts_ = starts_of(head, head_bytes(head.tasks, version));
    }
  } catch (const Error&) {
    throw BrokenRule(
        Code::malformed, "sion-geometry", path, widths_offset(head.tasks, head.format_version),
        "the widths of the chunks add up to more than 2^63 - 1 bytes; the header is damaged: copy the file "
        "again from its source",
        "a sum below 2^63");
  }
}

std::uint64_t tail_offset(std::uint64_t start, std::uint64_t skip, std::uint64_t max_chunks) {
  const auto blocks = base::checked_multiply(max_chunks, skip);
  if (!blocks || *blocks > largest_offset - start) too_far("metadata block 2");
  return start + *blocks;
}

std::vector<std::int64_t> aligned_widths(std::span<const std::int64_t> requests, std::int64_t block) {
  check(requests, block);
  std::vector<std::int64_t> widths(requests.begin(), requests.end());
  for (std::int64_t& width : widths) width = rounded(width, block);
  return widths;
}

std::vector<std::int32_t> collector_groups(std::span<const std::int64_t> requests, std::int64_t block,
                                           std::int64_t wish, std::span<const std::uint8_t> only_sends) {
  check(requests, block);
  if (requests.empty()) return {};
  const std::int64_t sum = sum_of(requests);
  const std::int64_t blocks = sum / block + (sum % block > 0 ? 1 : 0);
  const std::int64_t groups = number_of_groups(static_cast<std::int64_t>(requests.size()), blocks, wish);
  const std::int64_t average = rounded(sum / groups, block);
  std::vector<std::int32_t> firsts = {0};
  std::int64_t filled = requests[0];
  for (std::size_t task = 1; task < requests.size(); ++task) {
    const bool sends = task < only_sends.size() && only_sends[task] != 0;
    if (sends || (filled <= average && requests[task] <= average - filled)) {
      filled += requests[task];
      continue;
    }
    firsts.push_back(static_cast<std::int32_t>(task));
    filled = requests[task];
  }
  return firsts;
}

std::vector<std::int64_t> collective_widths(std::span<const std::int64_t> requests, std::int64_t block,
                                            std::span<const std::int32_t> groups) {
  check(requests, block);
  std::vector<std::int64_t> widths(requests.begin(), requests.end());
  for_each_group(groups, requests.size(), [&](std::size_t first, std::size_t end) {
    const std::int64_t sum = sum_of(requests.subspan(first, end - first));
    widths[end - 1] += rounded(sum, block) - sum;
  });
  return widths;
}

std::vector<std::int64_t> merging_widths(std::span<const std::int64_t> requests, std::int64_t block,
                                         std::span<const std::int32_t> groups) {
  std::vector<std::int64_t> widths = aligned_widths(requests, block);
  for_each_group(groups, requests.size(), [&](std::size_t first, std::size_t end) {
    widths[first] = rounded(sum_of(requests.subspan(first, end - first)), block);
  });
  return widths;
}

FileShare share_of_task(std::int32_t task, std::int32_t tasks, std::int32_t files) {
  if (files < 1 || files > tasks || task < 0 || task >= tasks) {
    base::fail(Code::invalid_argument, {}, "task {} of {} in {} physical files: there must be 1 to {} files", task,
               tasks, files, std::max(tasks, 1));
  }
  const std::int32_t each = tasks / files;
  const std::int32_t file = std::min(task / each, files - 1);
  const std::int32_t held = file == files - 1 ? tasks - each * (files - 1) : each;
  return {file, task - file * each, held};
}

}  // namespace lq::format::sion
