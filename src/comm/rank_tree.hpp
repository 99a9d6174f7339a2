// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Consecutive ranks as a binomial tree, and messages along its edges. The ranks, counted from the root on, are a range
// of which the root's children have halves: half of all, half of what is left, and so on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "comm/tree.hpp"

namespace lq::comm {

// A rank and those below it, [begin, end); of those that hang on it directly, some may have been split off.
struct Subtree {
  int root = 0, begin = 1, end = 1;
  int size() const noexcept { return end - root; }  // nothing split off
};

// In which children are served. What comes together comes from the small ones first, which are ready first; what is
// dealt out goes to the large ones first, which have the longest way to go.
enum class Order { small_first, large_first };

class RankTree {
 public:
  static constexpr std::size_t most_children = 31;  // of 2^31 ranks

  // Collective over `ranks` ranks from `root` on, rank 0 after the last; this rank is one of them.
  RankTree(Comm& comm, int root, int ranks, Order order, int channel);
  // Collective. Of the whole group. communication: there is no such root.
  RankTree(Comm& comm, int root, Order order);

  bool is_root() const noexcept { return comm_.rank() == root_; }
  int parent() const noexcept { return parent_; }
  int size() const noexcept { return size_; }                                                 // of the subtree
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
  std::size_t degree_ = 0;  // children
};

// Of trees of the given number of ranks each, which ascend and have at most the last rank of one and the first of the
// next in common: every second one of several ranks, then the others, in neither half of which two have a rank in
// common; last those of one rank each, who passes nothing on. Those of no rank are left out.
std::vector<std::size_t> turns_of(std::span<const int> ranks);

// Collective over the ranks of a tree whose order is small_first. Comm::gather_pieces() at its root.
void gather_up(RankTree& tree, base::Bytes mine, const Comm::Sink& sink);

// Bytes of others on their way through this rank, on the stack: whoever passes something on asks for no memory.
class PieceBuffer {
 public:
  base::MutableBytes room_for(std::size_t bytes) noexcept { return {bytes_.data(), bytes}; }
  // What is held, and room for more of it.
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
