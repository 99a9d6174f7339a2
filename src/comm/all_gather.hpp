// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One small value of each rank, on all ranks.
#pragma once

#include <span>
#include <type_traits>

#include "comm/tree.hpp"

namespace lq::comm {

// Collective. By rank into `all`, which has as many as the group has ranks: for the ranks of a node.
template <class T>
requires std::is_trivially_copyable_v<T>
void all_gather(Comm& comm, const T& mine, std::span<T> all) {
  std::size_t next = 0;
  gather_records(comm, std::span(&mine, 1), 0, [&](const T& one) { all[next++] = one; });
  comm.broadcast(std::as_writable_bytes(all), 0);
}

}  // namespace lq::comm
