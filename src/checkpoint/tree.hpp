// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums and tables over a group in a number of steps that grows with the logarithm of its size, in memory that does not
// grow with it: the ranks form a binomial tree whose subtrees are ranges of ranks, and bytes pass through it in pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "comm/comm.hpp"

namespace lq::checkpoint {

// What a rank passes on of the tables of others at a time.
inline constexpr std::size_t tree_piece_bytes = 64 * 1024;

struct Sums {
  std::vector<std::uint64_t> before;  // of the ranks below this one
  std::vector<std::uint64_t> total;   // of all ranks
};
// Collective. Element by element, modulo 2^64; as many values on every rank.
Sums exclusive_sums(comm::Comm& comm, std::span<const std::uint64_t> mine);

// Collective. The bytes of all ranks, one behind the other in rank order, go to `sink` on rank 0. What sink throws is
// thrown on rank 0 when all bytes have arrived; it is called no more.
void gather_bytes(comm::Comm& comm, base::Bytes mine, const std::function<void(base::Bytes)>& sink);

}  // namespace lq::checkpoint
