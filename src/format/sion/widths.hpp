// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How wide chunks become when a multifile is created, and who collects for whom (formats/sion.md 4.2). Another writer
// that follows these rules produces the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lq::format::sion {

// invalid_argument for a block size below 1 or a negative request; too_large where a sum does not fit. All of these
// functions throw so. Requests are in bytes, one per task of a physical file.
std::vector<std::int64_t> aligned_widths(std::span<const std::int64_t> requests, std::int64_t block);

// Groups of consecutive tasks, the first of which collects: the first task of each, ascending, from 0. `wish`: tasks
// per collector, or 0 and below for a choice. `only_sends` (empty, or one per task): tasks that cannot collect, which
// belong to the group before them.
std::vector<std::int32_t> collector_groups(std::span<const std::int64_t> requests, std::int64_t block,
                                           std::int64_t wish, std::span<const std::uint8_t> only_sends = {});
// The widths of a group add up to a multiple of the block; its last task has the padding.
std::vector<std::int64_t> collective_widths(std::span<const std::int64_t> requests, std::int64_t block,
                                            std::span<const std::int32_t> groups);
// The collector has room for its group, the others for themselves.
std::vector<std::int64_t> merging_widths(std::span<const std::int64_t> requests, std::int64_t block,
                                         std::span<const std::int32_t> groups);

// The tasks dealt out to physical files in blocks, the last of which takes the rest.
struct FileShare {
  std::int32_t file = 0;
  std::int32_t local_task = 0;
  std::int32_t tasks = 0;  // of that file
};
// invalid_argument unless 1 <= files <= tasks and 0 <= task < tasks.
FileShare share_of_task(std::int32_t task, std::int32_t tasks, std::int32_t files);

}  // namespace lq::format::sion
