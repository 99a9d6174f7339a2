// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums and gathers, up the tree. multi_root.cpp scatters down the tree.
#include "comm/tree.hpp"

#include <bit>
#include <exception>

#include <limequat/error.hpp>

#include "base/error.hpp"

namespace lq::comm {
namespace {

void add(std::span<std::uint64_t> sums, std::span<const std::uint64_t> more) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

// Forwards bytes to the parent, or to the sink; stores exceptions of the sink.
class Outlet {
 public:
  Outlet(RankTree& tree, const Comm::Sink& sink) : tree_(tree), sink_(sink) {}

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
  RankTree& tree_;
  const Comm::Sink& sink_;
  std::exception_ptr failure_;
};

// Messages of a stream: `tree_piece_bytes` each, the last one shorter.
template <class Work>
void for_each_piece(std::uint64_t bytes, const Work& work) {
  for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, tree_piece_bytes)) {
    work(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, tree_piece_bytes)));
  }
}

}  // namespace

Sums exclusive_sums(Comm& comm, std::span<const std::uint64_t> mine) {
  RankTree tree(comm, 0, Order::small_first);
  using Values = std::array<std::uint64_t, Sums::most>;
  const std::size_t count = mine.size(), children = tree.children().size();
  const auto used = [count](Values& values) { return std::span(values).first(count); };
  // Sums of this subtree before each child, and of the whole subtree.
  std::array<Values, RankTree::most_children + 1> below;
  std::ranges::copy(mine, below[0].begin());
  for (std::size_t i = 0; i < children; ++i) {
    tree.receive(tree.children()[i].root, used(below[i + 1]));
    add(used(below[i + 1]), used(below[i]));
  }
  // Received from above: the sum of all lower ranks, and the total.
  std::array<std::uint64_t, 2 * Sums::most> down{};
  const std::span<std::uint64_t> before = std::span(down).first(count), total = std::span(down).subspan(count, count);
  if (tree.is_root()) {
    std::ranges::copy(used(below[children]), total.begin());
  } else {
    tree.send(tree.parent(), used(below[children]));
    tree.receive(tree.parent(), std::span(down).first(2 * count));
  }
  Sums sums;
  std::ranges::copy(before, sums.before.begin());
  std::ranges::copy(total, sums.total.begin());
  for (std::size_t i = children; i-- > 0;) {
    std::ranges::copy(used(sums.before), before.begin());
    add(before, used(below[i]));
    tree.send(tree.children()[i].root, std::span(down).first(2 * count));
  }
  return sums;
}

void gather_up(RankTree& tree, base::Bytes mine, const Comm::Sink& sink) {
  std::array<std::uint64_t, RankTree::most_children> below;
  std::uint64_t total = mine.size();
  for (std::size_t i = 0; i < tree.children().size(); ++i) {
    tree.receive(tree.children()[i].root, std::span(&below[i], 1));
    total += below[i];
  }
  if (!tree.is_root()) tree.send(tree.parent(), std::span<const std::uint64_t>(&total, 1));

  // A message ends at the end of a subtree or when it is full, whatever the sizes of the pieces in it.
  Outlet outlet(tree, sink);
  PieceBuffer held, buffer;
  std::uint64_t left = total;
  const auto pass = [&](base::Bytes bytes) {
    while (!bytes.empty()) {
      const std::size_t full = static_cast<std::size_t>(std::min<std::uint64_t>(left, tree_piece_bytes));
      const std::size_t taken = std::min(bytes.size(), full - held.held().size());
      held.hold(bytes.first(taken));
      bytes = bytes.subspan(taken);
      if (held.held().size() < full) continue;
      outlet.put(held.held());
      left -= full;
      held.clear();
    }
  };
  pass(mine);
  for (std::size_t i = 0; i < tree.children().size(); ++i) {
    for_each_piece(below[i], [&](std::size_t bytes) {
      const base::MutableBytes piece = buffer.room_for(bytes);
      tree.receive(tree.children()[i].root, piece);
      pass(piece);
    });
  }
  outlet.rethrow();
}

// For each operation, in pieces on the stack.
void Comm::combine(std::span<Term> terms) {
  for (const Reduce operation : {Reduce::sum, Reduce::min, Reduce::max, Reduce::bit_xor, Reduce::bit_or}) {
    std::array<std::uint64_t, 128> values;
    std::array<std::size_t, 128> places;
    std::size_t count = 0;
    const auto flush = [&] {
      if (count == 0) return;
      all_reduce(std::span(values).first(count), operation);
      for (std::size_t i = 0; i < count; ++i) terms[places[i]].value = values[i];
      count = 0;
    };
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].operation != operation) continue;
      values[count] = terms[i].value;
      places[count++] = i;
      if (count == values.size()) flush();
    }
    flush();
  }
}

void Comm::gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink) {
  RankTree tree(*this, root, Order::small_first);
  gather_up(tree, mine, sink);
}

// Each contribution is preceded by its length; one that cannot be copied is sent as empty.
std::vector<std::vector<std::byte>> Comm::gather(std::span<const std::byte> mine, int root) {
  std::exception_ptr failure;
  std::vector<std::byte> framed, all;
  const std::uint64_t my_bytes = mine.size(), nothing = 0;
  base::keep_failure(failure, [&] {
    framed.resize(sizeof my_bytes + mine.size());
    std::memcpy(framed.data(), &my_bytes, sizeof my_bytes);
    std::ranges::copy(mine, framed.begin() + static_cast<std::ptrdiff_t>(sizeof my_bytes));
  });
  base::keep_failure(failure, [&] {
    gather_pieces(failure ? std::as_bytes(std::span(&nothing, 1)) : base::Bytes(framed), root,
                  [&](base::Bytes piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  });
  if (failure) std::rethrow_exception(failure);
  if (rank() != root) return {};
  std::vector<std::vector<std::byte>> parts(static_cast<std::size_t>(size()));
  base::Bytes rest = all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, rest.data(), sizeof bytes);
    const base::Bytes part = rest.subspan(sizeof bytes, bytes);
    parts[(i + static_cast<std::size_t>(root)) % parts.size()].assign(part.begin(), part.end());
    rest = rest.subspan(sizeof bytes + bytes);
  }
  return parts;
}

namespace {

// Splits off the largest child. Ranges ascend in the order in which children are served.
Subtree split_off(Subtree& from, Order order) {
  const int taken = (from.end - from.begin + 1) / 2;
  if (order == Order::large_first) {
    const Subtree child{from.begin, from.begin + 1, from.begin + taken};
    from.begin += taken;
    return child;
  }
  from.end -= taken;
  return {from.end, from.end + 1, from.end + taken};
}

int require_root(const Comm& comm, int root) {
  if (root >= 0 && root < comm.size()) return root;
  base::fail(Code::communication, {}, "gathering at or scattering from rank {}: the group has {} ranks", root,
             comm.size());
}

}  // namespace

RankTree::RankTree(Comm& comm, int root, int ranks, Order order, int channel)
    : comm_(comm), root_(root), channel_(channel) {
  const int me = (comm.rank() - root + comm.size()) % comm.size();
  Subtree mine{0, 1, ranks};
  while (mine.root != me) {
    const Subtree child = split_off(mine, order);
    if (me < child.root || me >= child.end) continue;
    parent_ = mine.root;
    mine = child;
  }
  size_ = mine.size();
  while (mine.begin < mine.end) children_[degree_++] = split_off(mine, order);
  if (order == Order::small_first) std::ranges::reverse(std::span(children_).first(degree_));
}

RankTree::RankTree(Comm& comm, int root, Order order)
    : RankTree(comm, require_root(comm, root), comm.size(), order, tree_channel) {}

std::vector<std::size_t> turns_of(std::span<const int> ranks) {
  std::array<std::vector<std::size_t>, 3> turns;
  std::size_t several = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] > 0) turns[ranks[i] == 1 ? 2 : several++ % 2].push_back(i);
  }
  std::vector<std::size_t> all;
  for (const auto& some : turns) all.insert(all.end(), some.begin(), some.end());
  return all;
}

// Messages and bytes of trees, counted as tree.cpp sends them. If more bytes arrive than one message holds, a rank
// alternately receives and sends the further pieces.

namespace {

std::uint64_t levels(std::uint64_t ranks) noexcept { return static_cast<std::uint64_t>(std::bit_width(ranks - 1)); }
std::uint64_t pieces(std::uint64_t bytes) noexcept { return (bytes + tree_piece_bytes - 1) / tree_piece_bytes; }

// Calls work(ranks) for the subtrees of the root's children, the largest first.
template <class Work>
void for_each_child(std::uint64_t ranks, const Work& work) {
  for (std::uint64_t others = ranks - 1; others > 0; others /= 2) work((others + 1) / 2);
}

}  // namespace

TreeCost gathering_cost(std::uint64_t ranks, std::uint64_t bytes_each) {
  TreeCost cost{2 * levels(ranks), 0, 0};
  if (bytes_each == 0) cost.steps = levels(ranks);
  for_each_child(ranks, [&](std::uint64_t below) {
    const std::uint64_t bytes = below * bytes_each;
    if (cost.messages == 0) {  // no rank sends more than the first
      cost.messages = 1 + pieces(bytes);
      cost.bytes = sizeof(std::uint64_t) + bytes;
    }
    if (bytes > 0) cost.steps += 2 * (pieces(bytes) - 1);
  });
  return cost;
}

TreeCost scattering_cost(std::uint64_t ranks, std::uint64_t bytes_each) {
  TreeCost cost{2 * levels(ranks), 0, 0};
  for_each_child(ranks, [&](std::uint64_t below) {
    const std::uint64_t bytes = below * (sizeof(std::uint64_t) + bytes_each);
    cost.messages += 2 * pieces(bytes);
    cost.bytes += bytes + sizeof(std::uint64_t) * pieces(bytes);
    cost.steps += 4 * (pieces(bytes) - 1);
  });
  return cost;
}

TreeCost summing_cost(std::uint64_t ranks, std::uint64_t values) {
  return {2 * levels(ranks), levels(ranks), 2 * sizeof(std::uint64_t) * values * levels(ranks)};
}

}  // namespace lq::comm
