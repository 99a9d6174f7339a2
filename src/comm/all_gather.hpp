// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One small value of each rank, on all ranks.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "comm/comm.hpp"

namespace lq::comm {

// Collective. By rank. Memory grows with the group: for the ranks of a node.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> all_gather(Comm& comm, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(comm.size()));
  const auto parts = comm.gather(std::as_bytes(std::span(&mine, 1)), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) std::memcpy(&all[i], parts[i].data(), sizeof(T));
  comm.broadcast(std::as_writable_bytes(std::span(all)), 0);
  return all;
}

}  // namespace lq::comm
