// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums and gathering, up the tree. What is dealt out goes down it in dealing.cpp.
#include "comm/tree.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "base/error.hpp"
#include "comm/rank_tree.hpp"

namespace lq::comm {
namespace {

void add(std::span<std::uint64_t> sums, std::span<const std::uint64_t> more) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

// Passes on to the parent, or to the sink; remembers what the sink throws.
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

// Messages of a stream: each `tree_piece_bytes`, the last what is left.
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
  // Of what lies in this subtree before each child, and of all of it.
  std::array<Values, RankTree::most_children + 1> below;
  std::ranges::copy(mine, below[0].begin());
  for (std::size_t i = 0; i < children; ++i) {
    tree.receive(tree.children()[i].root, used(below[i + 1]));
    add(used(below[i + 1]), used(below[i]));
  }
  // Down come the sum of all lower ranks, and that of all.
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

  // A message ends where a subtree does or when it is full, whatever the pieces were that it is made of.
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

// By operation, each in pieces on the stack.
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

// Each contribution is preceded by its length; one that cannot be copied is sent as nothing.
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

}  // namespace lq::comm
