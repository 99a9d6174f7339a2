// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that all ranks of a node see: one area per rank, each beginning with a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comm/comm.hpp"

namespace lq::comm {

class SharedMemory {
 public:
  // Collective over the ranks of one node. The areas hold zeros. nullptr on all ranks when the system has no such
  // memory to give: containers often limit it.
  static std::unique_ptr<SharedMemory> create(Comm& node, std::uint64_t bytes_per_rank);
  // The same, of an object in the shared memory file system, or of one without a name.
  static std::unique_ptr<SharedMemory> create(Comm& node, std::uint64_t bytes_per_rank, bool has_name);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::uint64_t bytes_per_rank() const noexcept { return bytes_per_rank_; }
  // Of the node's rank `index`.
  std::byte* area(int index) const noexcept { return start_ + static_cast<std::uint64_t>(index) * bytes_per_rank_; }

 private:
  SharedMemory(std::uint64_t bytes, std::uint64_t bytes_per_rank) noexcept
      : bytes_(bytes), bytes_per_rank_(bytes_per_rank) {}
  bool map(int descriptor) noexcept;

  std::byte* start_ = nullptr;
  std::uint64_t bytes_;
  std::uint64_t bytes_per_rank_;
};

}  // namespace lq::comm
