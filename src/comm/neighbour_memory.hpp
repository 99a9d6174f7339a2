// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading out of the memory of another process of this machine, by the kernel, without its help. Permitted between
// processes of one user, unless the system (ptrace scope, container) forbids it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lq::comm {

// A piece of another process's memory.
struct NeighbourPiece {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// The pieces contiguous into `to`, which has room for them. Returns 0, or errno.
int pull(std::int64_t process, std::span<const NeighbourPiece> pieces, std::byte* to) noexcept;

}  // namespace lq::comm
