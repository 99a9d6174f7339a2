// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks, counted from the root on, are a range of which the root's children have halves: half of all, half of what
// is left, and so on. What comes together comes from the small ones first, which are ready first; what is dealt out
// goes to the large ones first, which have the longest way to go.
#include "comm/tree.hpp"

#include <algorithm>
#include <exception>
#include <memory>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/backoff.hpp"

namespace lq::comm {
namespace {

void wait(Flight& flight) {
  base::Backoff backoff;
  while (!flight.is_done()) backoff.wait();
}

// A rank and those below it, [begin, end); of those that hang on it directly, some may have been split off.
struct Subtree {
  int root = 0, begin = 1, end = 1;
  int size() const noexcept { return end - root; }  // nothing split off
};

enum class Order { small_first, large_first };

// The largest child. Ranges ascend in the order in which children are served.
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

// Ranks count from the root on.
class Tree {
 public:
  Tree(Comm& comm, int root, Order order) : comm_(comm), root_(root) {
    if (root < 0 || root >= comm.size()) {
      throw Error(Code::communication,
                  fmt::format("gathering at or dealing out from rank {}: the group has {} ranks", root, comm.size()));
    }
    channel_ = comm.size() > 1 ? comm.next_channel() : 0;
    const int me = (comm.rank() - root + comm.size()) % comm.size();
    Subtree mine{0, 1, comm.size()};
    while (mine.root != me) {
      const Subtree child = split_off(mine, order);
      if (me < child.root || me >= child.end) continue;
      parent_ = mine.root;
      mine = child;
    }
    size_ = mine.size();
    while (mine.begin < mine.end) children_.push_back(split_off(mine, order));
    if (order == Order::small_first) std::ranges::reverse(children_);
  }

  bool is_root() const noexcept { return comm_.rank() == root_; }
  int parent() const noexcept { return parent_; }
  int size() const noexcept { return size_; }                                  // of the subtree
  const std::vector<Subtree>& children() const noexcept { return children_; }  // ascending
  int rank_of(int number) const noexcept { return (number + root_) % comm_.size(); }

  void send(int to, base::Bytes bytes) { wait(*comm_.start_send(bytes, rank_of(to), channel_)); }
  void receive(int from, base::MutableBytes bytes) { wait(*comm_.start_receive(bytes, rank_of(from), channel_)); }
  void send(int to, std::span<const std::uint64_t> values) { send(to, std::as_bytes(values)); }
  void receive(int from, std::span<std::uint64_t> values) { receive(from, std::as_writable_bytes(values)); }

 private:
  Comm& comm_;
  int root_;
  int channel_ = 0;
  int parent_ = 0;
  int size_ = 1;
  std::vector<Subtree> children_;
};

void add(std::span<std::uint64_t> sums, std::span<const std::uint64_t> more) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

// Room for a piece; never two at a time, as a vector has while it grows.
class PieceBuffer {
 public:
  base::MutableBytes room_for(std::size_t bytes) {
    if (bytes > size_) {
      bytes_.reset();
      bytes_ = std::make_unique<std::byte[]>(bytes);
      size_ = bytes;
    }
    return {bytes_.get(), bytes};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

// Passes on to the parent, or to the sink; remembers what the sink throws.
class Outlet {
 public:
  Outlet(Tree& tree, const Comm::Sink& sink) : tree_(tree), sink_(sink) {}

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

// Parts on their way down, each preceded by its length: one's own stays here, the others go to the child they are for,
// in pieces, each preceded by its length.
class Distribution {
 public:
  explicit Distribution(Tree& tree) : tree_(tree) {}

  bool is_complete() const noexcept { return begun_ == tree_.size() && left_ == 0; }
  // Bytes of the stream, cut anywhere.
  void pass(base::Bytes bytes) {
    while (!bytes.empty()) {
      if (left_ == 0) {
        const std::size_t taken = std::min(sizeof left_ - length_.size(), bytes.size());
        length_.insert(length_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
        bytes = bytes.subspan(taken);
        if (length_.size() == sizeof left_) begin_part();
        continue;
      }
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      if (begun_ == 1) {
        own_.insert(own_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      } else {
        hold(bytes.first(taken));
      }
      left_ -= taken;
      bytes = bytes.subspan(taken);
    }
  }
  std::vector<std::byte> take() {
    flush();
    return std::move(own_);
  }

 private:
  void begin_part() {
    std::memcpy(&left_, length_.data(), sizeof left_);
    if (begun_ > 0) {
      const int here = tree_.children().front().root - 1;
      while (here + begun_ >= tree_.children()[child_].end) {
        flush();
        ++child_;
      }
      hold(length_);
    }
    ++begun_;
    length_.clear();
  }
  void hold(base::Bytes bytes) {
    while (!bytes.empty()) {
      const std::size_t taken = std::min(tree_piece_bytes - held_.size(), bytes.size());
      if (held_.size() + taken > few_bytes) held_.reserve(tree_piece_bytes);
      held_.insert(held_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      bytes = bytes.subspan(taken);
      if (held_.size() == tree_piece_bytes) flush();
    }
  }
  void flush() {
    if (held_.empty()) return;
    const std::uint64_t length = held_.size();
    tree_.send(tree_.children()[child_].root, std::span(&length, 1));
    tree_.send(tree_.children()[child_].root, held_);
    held_.clear();
  }

  static constexpr std::size_t few_bytes = 4096;  // that ranks near the leaves hold

  Tree& tree_;
  int begun_ = 0;                  // parts
  std::uint64_t left_ = 0;         // of the part that was begun last
  std::vector<std::byte> length_;  // of the next, as far as it has come
  std::size_t child_ = 0;          // that gets what is held
  std::vector<std::byte> held_;
  std::vector<std::byte> own_;
};

}  // namespace

Sums exclusive_sums(Comm& comm, std::span<const std::uint64_t> mine) {
  Tree tree(comm, 0, Order::small_first);
  const std::size_t count = mine.size(), children = tree.children().size();
  // Of what lies in this subtree before each child, and of all of it.
  std::vector<std::vector<std::uint64_t>> below(children + 1, {mine.begin(), mine.end()});
  for (std::size_t i = 0; i < children; ++i) {
    tree.receive(tree.children()[i].root, below[i + 1]);
    add(below[i + 1], below[i]);
  }
  // Down come the sum of all lower ranks, and that of all.
  std::vector<std::uint64_t> down(2 * count);
  if (tree.is_root()) {
    std::ranges::copy(below.back(), down.begin() + static_cast<std::ptrdiff_t>(count));
  } else {
    tree.send(tree.parent(), std::span<const std::uint64_t>(below.back()));
    tree.receive(tree.parent(), down);
  }
  Sums sums;
  sums.before.assign(down.begin(), down.begin() + static_cast<std::ptrdiff_t>(count));
  sums.total.assign(down.begin() + static_cast<std::ptrdiff_t>(count), down.end());
  for (std::size_t i = children; i-- > 0;) {
    std::ranges::copy(sums.before, down.begin());
    add(std::span(down).first(count), below[i]);
    tree.send(tree.children()[i].root, std::span<const std::uint64_t>(down));
  }
  return sums;
}

void Comm::gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink) {
  Tree tree(*this, root, Order::small_first);
  std::vector<std::uint64_t> below(tree.children().size());
  std::uint64_t total = mine.size();
  for (std::size_t i = 0; i < below.size(); ++i) {
    tree.receive(tree.children()[i].root, std::span(&below[i], 1));
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
  held.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(total, tree_piece_bytes)));
  pass(mine);
  PieceBuffer buffer;
  for (std::size_t i = 0; i < below.size(); ++i) {
    for_each_piece(below[i], [&](std::size_t bytes) {
      const base::MutableBytes piece = buffer.room_for(bytes);
      tree.receive(tree.children()[i].root, piece);
      pass(piece);
    });
  }
  outlet.rethrow();
}

std::vector<std::byte> Comm::scatter_parts(const PartOf& part_of, int root) {
  Tree tree(*this, root, Order::large_first);
  Distribution distribution(tree);
  if (tree.is_root()) {
    std::exception_ptr failure;
    for (int number = 0; number < tree.size(); ++number) {
      std::vector<std::byte> part;
      try {
        if (!failure) part = part_of(tree.rank_of(number));
      } catch (...) {
        failure = std::current_exception();
      }
      const std::uint64_t length = part.size();
      distribution.pass(std::as_bytes(std::span(&length, 1)));
      distribution.pass(part);
    }
    if (failure) {
      distribution.take();
      std::rethrow_exception(failure);
    }
  }
  PieceBuffer buffer;
  while (!distribution.is_complete()) {
    std::uint64_t length = 0;
    tree.receive(tree.parent(), std::span(&length, 1));
    const base::MutableBytes piece = buffer.room_for(length);
    tree.receive(tree.parent(), piece);
    distribution.pass(piece);
  }
  return distribution.take();
}

// Each contribution is preceded by its length.
std::vector<std::vector<std::byte>> Comm::gather(std::span<const std::byte> mine, int root) {
  const std::uint64_t my_bytes = mine.size();
  std::vector<std::byte> framed(sizeof my_bytes + mine.size());
  std::memcpy(framed.data(), &my_bytes, sizeof my_bytes);
  std::ranges::copy(mine, framed.begin() + static_cast<std::ptrdiff_t>(sizeof my_bytes));
  std::vector<std::byte> all;
  gather_pieces(framed, root, [&](base::Bytes piece) { all.insert(all.end(), piece.begin(), piece.end()); });
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

std::vector<std::byte> Comm::scatter(const std::vector<std::vector<std::byte>>& parts, int root) {
  return scatter_parts(
      [&](int rank) {
        if (parts.size() == static_cast<std::size_t>(size())) return parts[static_cast<std::size_t>(rank)];
        throw Error(Code::communication, fmt::format("scatter: {} parts for a group of {}", parts.size(), size()));
      },
      root);
}

}  // namespace lq::comm
