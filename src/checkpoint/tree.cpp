// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank r is the parent of r + 1, r + 2, r + 4, ... as far as the lowest bit set in r; the subtree of r + d is the
// ranks from there to the next child.
#include "checkpoint/tree.hpp"

#include <algorithm>
#include <exception>

#include "base/backoff.hpp"

namespace lq::checkpoint {
namespace {

void wait(comm::Flight& flight) {
  base::Backoff backoff;
  while (!flight.is_done()) backoff.wait();
}

class Tree {
 public:
  explicit Tree(comm::Comm& comm) : comm_(comm), channel_(comm.next_channel()) {
    const int rank = comm.rank();
    for (int distance = 1; rank + distance < comm.size() && (rank & distance) == 0; distance *= 2) {
      children_.push_back(rank + distance);
    }
    parent_ = rank & (rank - 1);
  }

  bool is_root() const noexcept { return comm_.rank() == 0; }
  int parent() const noexcept { return parent_; }
  const std::vector<int>& children() const noexcept { return children_; }  // ascending
  void send(int to, base::Bytes bytes) { wait(*comm_.start_send(bytes, to, channel_)); }
  void receive(int from, base::MutableBytes bytes) { wait(*comm_.start_receive(bytes, from, channel_)); }
  void send(int to, std::span<const std::uint64_t> values) { send(to, std::as_bytes(values)); }
  void receive(int from, std::span<std::uint64_t> values) { receive(from, std::as_writable_bytes(values)); }

 private:
  comm::Comm& comm_;
  int channel_;
  int parent_ = 0;
  std::vector<int> children_;
};

void add(std::span<std::uint64_t> sums, std::span<const std::uint64_t> more) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

// Passes on to the parent, or to the sink; remembers what the sink throws.
class Outlet {
 public:
  Outlet(Tree& tree, const std::function<void(base::Bytes)>& sink) : tree_(tree), sink_(sink) {}

  void put(base::Bytes bytes) {
    if (!tree_.is_root()) return tree_.send(tree_.parent(), bytes);
    if (failure_) return;
    try {
      sink_(bytes);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  Tree& tree_;
  const std::function<void(base::Bytes)>& sink_;
  std::exception_ptr failure_;
};

// Messages of a stream: each `tree_piece_bytes`, the last what is left.
void for_each_piece(std::uint64_t bytes, const std::function<void(std::size_t)>& work) {
  for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, tree_piece_bytes)) {
    work(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, tree_piece_bytes)));
  }
}

}  // namespace

Sums exclusive_sums(comm::Comm& comm, std::span<const std::uint64_t> mine) {
  Tree tree(comm);
  const std::size_t count = mine.size();
  std::vector<std::uint64_t> sum(mine.begin(), mine.end());
  std::vector<std::vector<std::uint64_t>> below(tree.children().size(), std::vector<std::uint64_t>(count));
  for (std::size_t i = 0; i < below.size(); ++i) {
    tree.receive(tree.children()[i], below[i]);
    add(sum, below[i]);
  }
  // Down come the sum of all lower ranks, and that of all.
  std::vector<std::uint64_t> down(2 * count);
  if (tree.is_root()) {
    std::ranges::copy(sum, down.begin() + static_cast<std::ptrdiff_t>(count));
  } else {
    tree.send(tree.parent(), sum);
    tree.receive(tree.parent(), down);
  }
  Sums sums;
  sums.before.assign(down.begin(), down.begin() + static_cast<std::ptrdiff_t>(count));
  sums.total.assign(down.begin() + static_cast<std::ptrdiff_t>(count), down.end());
  add(std::span(down).first(count), mine);
  for (std::size_t i = 0; i < below.size(); ++i) {
    tree.send(tree.children()[i], down);
    add(std::span(down).first(count), below[i]);
  }
  return sums;
}

void gather_bytes(comm::Comm& comm, base::Bytes mine, const std::function<void(base::Bytes)>& sink) {
  Tree tree(comm);
  std::vector<std::uint64_t> below(tree.children().size());
  std::uint64_t total = mine.size();
  for (std::size_t i = 0; i < below.size(); ++i) {
    tree.receive(tree.children()[i], std::span(&below[i], 1));
    total += below[i];
  }
  if (!tree.is_root()) tree.send(tree.parent(), std::span<const std::uint64_t>(&total, 1));

  // A message ends where a subtree does or when it is full, whatever the pieces were that it is made of.
  Outlet outlet(tree, sink);
  std::vector<std::byte> held;
  std::uint64_t left = total;
  const auto pass = [&](base::Bytes bytes) {
    while (!bytes.empty()) {
      const std::size_t full = static_cast<std::size_t>(std::min<std::uint64_t>(left, tree_piece_bytes));
      const std::size_t taken = std::min(bytes.size(), full - held.size());
      held.insert(held.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      bytes = bytes.subspan(taken);
      if (held.size() < full) continue;
      outlet.put(held);
      left -= full;
      held.clear();
    }
  };
  pass(mine);
  std::vector<std::byte> piece;
  for (std::size_t i = 0; i < below.size(); ++i) {
    for_each_piece(below[i], [&](std::size_t bytes) {
      piece.resize(bytes);
      tree.receive(tree.children()[i], piece);
      pass(piece);
    });
  }
  outlet.rethrow();
}

}  // namespace lq::checkpoint
