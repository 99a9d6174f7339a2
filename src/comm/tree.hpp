// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How Comm gathers, scatters, and sums over lower ranks: the number of steps grows with the logarithm of the group, and
// memory does not grow with it. The ranks form a binomial tree whose subtrees are ranges of ranks; bytes pass through
// it in pieces.
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
#include "comm/multi_root.hpp"

namespace lq::comm {

// Size of the pieces of other ranks' bytes that a rank forwards.
inline constexpr std::size_t tree_piece_bytes = 64 * 1024;

struct Sums {
  static constexpr std::size_t most = 8;     // maximum number of values
  std::array<std::uint64_t, most> before{};  // sums over the ranks below this one
  std::array<std::uint64_t, most> total{};   // sums over all ranks
};
// Collective. Element by element, modulo 2^64; at most `most` values, equally many on every rank.
Sums exclusive_sums(Comm& comm, std::span<const std::uint64_t> mine);

// Collective. Values of all ranks, any number of each: calls each(value) on `root`, in the order and with the exception
// handling of Comm::gather_pieces().
template <class T, class Each>
requires std::is_trivially_copyable_v<T>
void gather_records(Comm& comm, std::span<const T> mine, int root, const Each& each) {
  Values<T> values;
  comm.gather_pieces(std::as_bytes(mine), root, [&](base::Bytes piece) { values.take(0, piece, each); });
}

struct TreeCost {
  std::uint64_t steps = 0;     // longest chain of dependent messages
  std::uint64_t messages = 0;  // of the rank that sends the most
  std::uint64_t bytes = 0;     // of that rank
};
// Local. Cost of gather_pieces(), scatter_parts() and exclusive_sums() with this size for each rank.
TreeCost gathering_cost(std::uint64_t ranks, std::uint64_t bytes_each);
TreeCost scattering_cost(std::uint64_t ranks, std::uint64_t bytes_each);
TreeCost summing_cost(std::uint64_t ranks, std::uint64_t values);

// One small value of each rank, on all ranks.

// Collective. By rank into `all`, whose size is that of the group: for the ranks of a node.
template <class T>
requires std::is_trivially_copyable_v<T>
void all_gather(Comm& comm, const T& mine, std::span<T> all) {
  std::size_t next = 0;
  gather_records(comm, std::span(&mine, 1), 0, [&](const T& one) { all[next++] = one; });
  comm.broadcast(std::as_writable_bytes(all), 0);
}

// Consecutive ranks as a binomial tree, and messages along its edges. The ranks, counted from the root, are divided
// among the root's children: half of all, half of the rest, and so on.

// A rank and those below it, [begin, end); some of its direct children may have been split off.
struct Subtree {
  int root = 0, begin = 1, end = 1;
  int size() const noexcept { return end - root; }  // if nothing is split off
};

// The order in which children are served. Gathers start with the small ones, which are ready first; scatters start with
// the large ones, whose paths are longest.
enum class Order { small_first, large_first };

class RankTree {
 public:
  static constexpr std::size_t most_children = 31;  // for 2^31 ranks

  // Collective over `ranks` ranks from `root` on, with rank 0 after the last; this rank is one of them.
  RankTree(Comm& comm, int root, int ranks, Order order, int channel);
  // Collective over the whole group. communication: the root does not exist.
  RankTree(Comm& comm, int root, Order order);

  bool is_root() const noexcept { return comm_.rank() == root_; }
  int parent() const noexcept { return parent_; }
  int size() const noexcept { return size_; }                                                 // ranks in the subtree
  std::span<const Subtree> children() const noexcept { return {children_.data(), degree_}; }  // ascending
  int rank_of(int number) const noexcept { return (number + root_) % comm_.size(); }

  void send(int to, base::Bytes bytes) { wait(comm_.start_send(bytes, rank_of(to), channel_)); }
  void receive(int from, base::MutableBytes bytes) { wait(comm_.start_receive(bytes, rank_of(from), channel_)); }
  void send(int to, std::span<const std::uint64_t> values) { send(to, std::as_bytes(values)); }
  void receive(int from, std::span<std::uint64_t> values) { receive(from, std::as_writable_bytes(values)); }

 private:
  Comm& comm_;
  int root_;
  int channel_;
  int parent_ = 0;
  int size_ = 1;
  std::array<Subtree, most_children> children_{};
  std::size_t degree_ = 0;  // number of children
};

// A schedule for trees of the given numbers of ranks, which ascend; the last rank of one may be the first of the next.
// Among trees of several ranks, every second one comes first, then the others, so that no two in either half share a
// rank; then trees of one rank, which forwards nothing. Empty trees are omitted.
std::vector<std::size_t> turns_of(std::span<const int> ranks);

// Collective over the ranks of a tree whose order is small_first. Comm::gather_pieces() to its root.
void gather_up(RankTree& tree, base::Bytes mine, const Comm::Sink& sink);

// Bytes of other ranks in transit through this rank, on the stack: forwarding allocates no memory.
class PieceBuffer {
 public:
  base::MutableBytes room_for(std::size_t bytes) noexcept { return {bytes_.data(), bytes}; }
  // The bytes held, and the free space.
  base::Bytes held() const noexcept { return {bytes_.data(), size_}; }
  std::size_t room() const noexcept { return bytes_.size() - size_; }
  void hold(base::Bytes more) noexcept {
    std::ranges::copy(more, bytes_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += more.size();
  }
  void clear() noexcept { size_ = 0; }

 private:
  std::array<std::byte, tree_piece_bytes> bytes_;
  std::size_t size_ = 0;
};

}  // namespace lq::comm
