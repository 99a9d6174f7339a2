// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How Comm gathers and deals out, and sums over lower ranks: in a number of steps that grows with the logarithm of the
// group, in memory that does not grow with it. The ranks form a binomial tree whose subtrees are ranges of ranks, and
// bytes pass through it in pieces.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "comm/multi_gather.hpp"

namespace lq::comm {

// What a rank passes on of the bytes of others at a time.
inline constexpr std::size_t tree_piece_bytes = 64 * 1024;

struct Sums {
  static constexpr std::size_t most = 8;     // values
  std::array<std::uint64_t, most> before{};  // of the ranks below this one
  std::array<std::uint64_t, most> total{};   // of all ranks
};
// Collective. Element by element, modulo 2^64; as many values on every rank, and not more than that.
Sums exclusive_sums(Comm& comm, std::span<const std::uint64_t> mine);

// Collective. Values of all ranks, any number of each: calls each(value) on `root`, in the order and with the care for
// exceptions of Comm::gather_pieces().
template <class T, class Each>
requires std::is_trivially_copyable_v<T>
void gather_records(Comm& comm, std::span<const T> mine, int root, const Each& each) {
  Values<T> values;
  comm.gather_pieces(std::as_bytes(mine), root, [&](base::Bytes piece) { values.take(0, piece, each); });
}

struct TreeCost {
  std::uint64_t steps = 0;     // messages that wait for each other, at most
  std::uint64_t messages = 0;  // of the rank that sends most
  std::uint64_t bytes = 0;     // of that rank
};
// Local. Of gather_pieces(), scatter_parts() and exclusive_sums() with as much for each rank.
TreeCost gathering_cost(std::uint64_t ranks, std::uint64_t bytes_each);
TreeCost scattering_cost(std::uint64_t ranks, std::uint64_t bytes_each);
TreeCost summing_cost(std::uint64_t ranks, std::uint64_t values);

}  // namespace lq::comm
